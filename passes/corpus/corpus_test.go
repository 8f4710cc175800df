package corpus_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/corpus"
)

// An author is a fact of a package, its name; a maker is one of a function.
type (
	author struct{ Name string }
	maker  struct{}
)

func (*author) AFact() {}
func (*maker) AFact()  {}

// A call is one of a function New.
type call struct {
	*ast.CallExpr
	of string
}

// calls finds the calls of functions New, of which it knows by facts if they are of other
// packages.
var calls = &analysis.Analyzer{
	Name: "calls", Doc: "calls",
	FactTypes:  []analysis.Fact{new(author), new(maker)},
	ResultType: reflect.TypeFor[[]call](),
	Run: func(pass *analysis.Pass) (any, error) {
		pass.ExportPackageFact(&author{pass.Pkg.Name()})
		var out []call
		for _, file := range pass.Files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "New" && f.Recv == nil {
					pass.ExportObjectFact(pass.TypesInfo.Defs[f.Name], new(maker))
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
						f, ok := pass.TypesInfo.Uses[sel.Sel].(*types.Func)
						var by author
						if ok && pass.ImportObjectFact(f, new(maker)) && pass.ImportPackageFact(f.Pkg(), &by) {
							out = append(out, call{c, by.Name})
						}
					}
				}
				return true
			})
		}
		return out, nil
	},
}

var word string

var detector = func() *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name: "detector", Doc: "detector", Requires: []*analysis.Analyzer{calls},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, c := range pass.ResultOf[calls].([]call) {
				pass.Report(analysis.Diagnostic{Pos: c.Pos(), Category: "call", Message: fmt.Sprintf("%s of %s", word, c.of)})
			}
			if word == "fail" {
				pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Pos(), Category: "failure", Message: "it has failed"})
			}
			return nil, nil
		},
	}
	a.Flags.StringVar(&word, "word", "call", "")
	return a
}()

// write makes files in a directory, from a text of paths after "-- " and contents.
func write(t *testing.T, text string) string {
	dir := t.TempDir()
	for _, part := range strings.Split(text, "\n-- ")[1:] {
		name, content, _ := strings.Cut(part, "\n")
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const module = `
-- go.mod
module m.example/m
go 1.25
require d.example/d v1.0.0
replace d.example/d => ./d
-- d/go.mod
module d.example/d
-- d/d.go
package d
func New() int { return 1 }
-- a/a.go
package a
import "errors"
type T[E any] struct{}
func New() error { return errors.New("a") }
func (t *T[E]) M() error { return errors.New("t") }
-- b/b.go
package b
import ("m.example/m/a"; "d.example/d")
var X = a.New()
func F() int { return d.New() }
-- b/b_test.go
package b
import "m.example/m/a"
func G() { _ = a.New() }
-- b/x_test.go
package b_test
import ("m.example/m/a"; "m.example/m/b")
func H() { _ = a.New; b.G(); _ = a.New() }
-- c/c.go
package c
import "m.example/m/broken"
var X = broken.New()
-- broken/broken.go
package broken
func New() { return 1 }
`

func load(t *testing.T, src corpus.Source) *corpus.Corpus {
	t.Helper()
	l, err := corpus.NewLoader(detector)
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func lines(t *testing.T, c *corpus.Corpus, cfg corpus.Config) []string {
	t.Helper()
	found, err := c.Run(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range found {
		out = append(out, fmt.Sprintf("%s:%d %s: %s", r.File, r.Line, r.Function, r.Message))
	}
	return out
}

func equal(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// TestRun: facts come from packages of the corpus, of another module and of the standard
// library, a package with tests stands for the package, and a broken one is left out.
func TestRun(t *testing.T) {
	src := corpus.Source{Name: "m", Dir: write(t, module), Patterns: []string{"./..."}, Tests: true}
	c := load(t, src)
	plain := []string{
		"a/a.go:4 New: call of errors",
		"a/a.go:5 (*T).M: call of errors",
		"b/b.go:3 no function: call of a",
		"b/b.go:4 F: call of d",
	}
	tested := append(slices.Clone(plain), "b/b_test.go:3 G: call of a", "b/x_test.go:3 H: call of a")
	equal(t, lines(t, c, corpus.Config{Detectors: []*analysis.Analyzer{detector}}), tested...)
	if c.Packages() != 3 {
		t.Errorf("%d packages, want a, b with tests and b_test", c.Packages())
	}
	if len(c.Broken) != 2 {
		t.Errorf("broken: %v; want broken and c", c.Broken)
	}

	src.Tests = false
	equal(t, lines(t, load(t, src), corpus.Config{Detectors: []*analysis.Analyzer{detector}}), plain...)
}

// TestConfig: a run has the flags of its configuration and no others, and leaves what was
// set before.
func TestConfig(t *testing.T) {
	c := load(t, corpus.Source{Name: "a", Dir: write(t, module), Patterns: []string{"./b"}})
	cfg := corpus.Config{Detectors: []*analysis.Analyzer{detector}}
	before := "set by somebody"
	word = before
	for range 2 {
		equal(t, lines(t, c, cfg.With("detector.word", "use")), "b/b.go:3 no function: use of a", "b/b.go:4 F: use of d")
		equal(t, lines(t, c, cfg.At("low")), "b/b.go:3 no function: call of a", "b/b.go:4 F: call of d")
	}
	if _, err := c.Run(cfg.With("detector.word", "fail")); err == nil || !strings.Contains(err.Error(), "it has failed") {
		t.Errorf("error %v", err)
	}
	if _, err := c.Run(cfg.With("other.word", "x")); err == nil || !strings.Contains(err.Error(), "other.word") {
		t.Errorf("error %v", err)
	}
	if word != before {
		t.Errorf("the flag is %q after all", word)
	}
	if got := cfg.With("detector.word", "x").String(); got != "-detector -detector.word=x" {
		t.Error(got)
	}
}

func TestFunctions(t *testing.T) {
	c := load(t, corpus.Source{Name: "a", Dir: write(t, module), Patterns: []string{"./a"}})
	want := []corpus.Function{{"m.example/m/a", "a/a.go", "New"}, {"m.example/m/a", "a/a.go", "(*T).M"}}
	if got := c.Functions(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestLoadErrors(t *testing.T) {
	l, err := corpus.NewLoader(detector)
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, module)
	for _, src := range []corpus.Source{
		{Name: "nowhere", Dir: filepath.Join(dir, "nowhere"), Patterns: []string{"./..."}},
		{Name: "nothing", Dir: dir, Patterns: []string{"./d/none/..."}},
		{Name: "broken", Dir: dir, Patterns: []string{"./broken"}},
	} {
		if _, err := l.Load(src); err == nil || !strings.Contains(err.Error(), "corpus "+src.Name) {
			t.Errorf("%s: error %v", src.Name, err)
		}
	}
	if _, err := corpus.NewLoader(calls); err == nil {
		t.Error("an analyzer with facts passes for a detector")
	}
}

// TestUnit: packages of a tree as analysistest has them.
func TestUnit(t *testing.T) {
	src, err := corpus.Unit("unit", write(t, `
-- src/a/a.go
package a
func New() int { return 1 }
-- src/b/b.go
package b
import "a"
var X = a.New()
`))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, lines(t, load(t, src), corpus.Config{Detectors: []*analysis.Analyzer{detector}}), "b/b.go:3 no function: call of a")
}

func TestGolden(t *testing.T) {
	r := corpus.Report{Analyzer: "d", Category: "c", File: "p/f.go", Line: 3, Column: 4, Function: "F", Message: "m", Confidence: "high"}
	other := r
	other.Message = "n"
	golden := corpus.Golden([]corpus.Report{r, r})
	if lost, gained := corpus.Compare(golden, []corpus.Report{r, r}); len(lost)+len(gained) != 0 {
		t.Errorf("lost %v, gained %v", lost, gained)
	}
	lost, gained := corpus.Compare(golden, []corpus.Report{other, r})
	if !slices.Equal(lost, []string{r.Entry()}) || !slices.Equal(gained, []corpus.Report{other}) {
		t.Errorf("lost %v, gained %v", lost, gained)
	}
}

func TestProjects(t *testing.T) {
	root := write(t, `
-- testdata/realcode/x.json
{"project": "x", "packages": ["./...", "./api"], "flags": ["-tests=false", "-tags=y"],
 "reports": [{"file":"a/f.go","line":1,"column":2,"category":"lost-update","label":"benign","why":""}]}
`)
	list, err := corpus.Projects(root, "x=/src/x")
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	p := list[0]
	want := corpus.Source{Name: "x", Dir: "/src/x", Patterns: []string{"./...", "./api"}, Flags: []string{"-tags=y"}}
	if !reflect.DeepEqual(p.Source, want) {
		t.Errorf("source %+v", p.Source)
	}
	r := corpus.Report{File: "a/f.go", Line: 1, Column: 2, Category: "lost-update"}
	if got := p.Label(r); got != "benign" {
		t.Errorf("label %q", got)
	}
	if r.Line++; p.Label(r) != "" {
		t.Error("a label at another line")
	}
	for _, bad := range []string{"x", "y=/src/y"} {
		if _, err := corpus.Projects(root, bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
