package main

import (
	"bytes"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/corpus"
)

// ids is a flag -without that lists two rules.
type ids string

func (v *ids) String() string     { return string(*v) }
func (v *ids) Set(s string) error { *v = ids(s); return nil }
func (v *ids) IDs() []string      { return []string{"short", "blank"} }

// detector reports functions. Rule short keeps those of short names from it, and rule blank
// would keep those without a name.
var detector = func() *analysis.Analyzer {
	left := new(ids)
	level := "high"
	a := &analysis.Analyzer{
		Name: "detector", Doc: "detector",
		Run: func(pass *analysis.Pass) (any, error) {
			for _, file := range pass.Files {
				for _, d := range file.Decls {
					f, ok := d.(*ast.FuncDecl)
					if !ok || len(f.Name.Name) < 2 && *left != "short" || f.Name.Name == "" && *left != "blank" {
						continue
					}
					pass.Report(analysis.Diagnostic{Pos: f.Pos(), Category: "name", Message: level + " " + f.Name.Name})
				}
			}
			return nil, nil
		},
	}
	a.Flags.Var(left, "without", "")
	a.Flags.StringVar(&level, "confidence", "high", "")
	return a
}()

func TestExperiment(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "src", "a", "a.go")
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("package a\n\nfunc F() {}\nfunc Long() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	src, err := corpus.Unit("unit", dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := corpus.NewLoader(detector)
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	e := &experiment{out: &out, verbose: true}
	e.add(c, func(corpus.Report) string { return "unit" })
	if err := e.run(rulesOf([]*analysis.Analyzer{detector})); err != nil {
		t.Fatal(err)
	}
	want := "detector\tshort\tunit +1\n\t+ a/a.go:3:1: low F\ndetector\tblank\t=\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}

func TestCompare(t *testing.T) {
	at := func(line int, message string) corpus.Report { return corpus.Report{Line: line, Message: message} }
	before := []corpus.Report{at(1, "same"), at(2, "gone"), at(3, "old"), at(4, "one"), at(4, "two")}
	after := []corpus.Report{at(1, "same"), at(3, "new"), at(4, "one"), at(5, "added")}
	want := []change{{'-', at(2, "gone")}, {'~', at(3, "new")}, {'+', at(5, "added")}, {'~', at(4, "two")}}
	got := compare(before, after)
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	words := summary(got, func(r corpus.Report) string { return map[bool]string{true: "low", false: "high"}[r.Line < 4] })
	if want := []string{"high +1 ~1", "low -1 ~1"}; !slices.Equal(words, want) {
		t.Errorf("got %q, want %q", words, want)
	}
}

func TestChoose(t *testing.T) {
	other := &analysis.Analyzer{Name: "other"}
	rules := []rule{{detector, "short"}, {detector, "blank"}, {other, "short"}}
	for _, test := range []struct{ names, want string }{
		{"", "detector.short detector.blank other.short"},
		{"short", "detector.short other.short"},
		{"other.short blank blank", "detector.blank other.short"},
	} {
		got, err := choose(rules, strings.Fields(test.names))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range got {
			names = append(names, r.String())
		}
		if text := strings.Join(names, " "); text != test.want {
			t.Errorf("%q: got %s, want %s", test.names, text, test.want)
		}
	}
	if _, err := choose(rules, []string{"none"}); err == nil {
		t.Error("no error for a rule that there is not")
	}
}

func TestVersion(t *testing.T) {
	for file, want := range map[string]string{
		"testdata/kernels/fix-01/bug/f.go":   "bugs",
		"testdata/kernels/x-01/fix/f.go":     "fixes",
		"testdata/kernels/x-01/fix/sub/f.go": "fixes",
	} {
		if got := version(corpus.Report{File: file}); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

func TestArguments(t *testing.T) {
	if err := ablate(new(bytes.Buffer), []string{"no-such-rule"}); err == nil || !strings.Contains(err.Error(), "no-such-rule") {
		t.Errorf("error %v", err)
	}
	if err := ablate(new(bytes.Buffer), []string{"-only", "-projects=nowhere"}); err == nil || !strings.Contains(err.Error(), "NAME=DIR") {
		t.Errorf("error %v", err)
	}
}
