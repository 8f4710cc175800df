package viewconsistency_test

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/atomvet/atomvet/passes/internal/known"
	"github.com/atomvet/atomvet/passes/viewconsistency"
)

// Every package below testdata/src is in one of these lists.
var (
	// Wrong code beside its correct twin.
	wrong = []string{
		"inline",       // sections in the functions themselves
		"point",        // accessors of types that lock by themselves
		"client",       // the same from another package, by facts alone
		"objects",      // objects that consist of others
		"atomics",      // pairs of atomic variables
		"confined",     // what one goroutine at a time runs
		"joins",        // where the two values come together
		"writes",       // pairs that are written apart
		"papers",       // the programs of the papers
		"program",      // a main package, with its goroutines in sight
		"nearmiss",     // what is not quite one of the idioms
		"doubts",       // what something serious speaks against
		"directive",    // comments that silence reports, and some that do not
		"selection",    // reads that another read has decided to make
		"parts",        // parts of an object that is replaced
		"twice",        // variables that are read twice
		"publication",  // what one atomic variable tells of another
		"gap",          // elements that are in neither of two places for a while
		"window",       // places that are empty between two sections
		"revoked",      // references that are nil by the time they are followed
		"total",        // variables of many objects that are added up
		"early",        // signals that are given before their data
		"toggle",       // flags that are switched apart from what they rule
		"versions",     // numbers that tell of a change
		"unfinished",   // objects that are found before their fields are set
		"interleaving", // splits that only an execution can judge
	}
	// Correct code that looks wrong.
	silent = []string{"idiom"}
	// Packages that the tests look at more closely.
	other = []string{"messages", "related", "known", "knownmain"}
	// Packages for the flags, and for the fixes.
	plain   = []string{"tables"}
	loose   = []string{"uncorrelated"}
	fixable = []string{"fix"}
)

// TestMain lets the tests see all that the analyzer finds, however much it doubts that
// it does harm: see TestDoubts.
func TestMain(m *testing.M) {
	if err := viewconsistency.Analyzer.Flags.Set("confidence", "low"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestReports checks all reports by the "want" comments in the packages.
func TestReports(t *testing.T) {
	results := analysistest.Run(t, analysistest.TestData(), viewconsistency.Analyzer, slices.Concat(wrong, silent)...)
	healthy(t, results)
	for _, r := range results {
		path := r.Pass.Pkg.Path()
		if n := len(r.Diagnostics); n > 0 && slices.Contains(silent, path) {
			t.Errorf("package %s: %d reports", path, n)
		} else if n == 0 && slices.Contains(wrong, path) {
			t.Errorf("package %s: no reports", path)
		}
	}
}

// TestDoubts: what something speaks against is reported if it is asked for.
func TestDoubts(t *testing.T) {
	flags := &viewconsistency.Analyzer.Flags
	t.Cleanup(func() {
		if err := flags.Set("confidence", "low"); err != nil {
			t.Fatal(err)
		}
	})
	for level, want := range map[string]int{"high": 6, "medium": 18} {
		if err := flags.Set("confidence", level); err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool) // the package is analyzed with its tests, too
		for _, r := range quietly([]string{"doubts"}) {
			for _, d := range r.Diagnostics {
				seen[r.Pass.Fset.Position(d.Pos).String()] = true
			}
		}
		if n := len(seen); n != want {
			t.Errorf("confidence %s: %d reports, want %d", level, n, want)
		}
	}
}

// TestPlain has the definition of the first paper, which tells nothing apart.
// The second flag makes no difference then.
func TestPlain(t *testing.T) {
	set(t, "rw", "false")
	healthy(t, analysistest.Run(t, analysistest.TestData(), viewconsistency.Analyzer, plain...))
	set(t, "correlation", "false")
	healthy(t, analysistest.Run(t, analysistest.TestData(), viewconsistency.Analyzer, plain...))
}

// TestUncorrelated has that of the second paper, without its refinement.
func TestUncorrelated(t *testing.T) {
	set(t, "correlation", "false")
	healthy(t, analysistest.Run(t, analysistest.TestData(), viewconsistency.Analyzer, loose...))
}

// TestCorrelated looks at the same code without the flag: nothing comes together.
func TestCorrelated(t *testing.T) {
	for _, r := range of(t, quietly(loose), loose[0]) {
		for _, d := range r.Diagnostics {
			t.Errorf("unexpected report: %s", d.Message)
		}
	}
}

// set sets a flag for the time of a test.
func set(t *testing.T, name, value string) {
	t.Helper()
	f := viewconsistency.Analyzer.Flags.Lookup(name)
	old := f.Value.String()
	if err := f.Value.Set(value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Value.Set(old); err != nil {
			t.Error(err)
		}
	})
}

// TestFixes merges what can be merged, and nothing else.
func TestFixes(t *testing.T) {
	healthy(t, analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), viewconsistency.Analyzer, fixable...))
}

// healthy checks that what the analyzer builds upon has not failed. A failure of
// the summaries is a diagnostic of theirs, which analysistest does not see.
func healthy(t *testing.T, results []*analysistest.Result) {
	t.Helper()
	seen := make(map[*checker.Action]bool)
	var visit func(act *checker.Action)
	visit = func(act *checker.Action) {
		if seen[act] {
			return
		}
		seen[act] = true
		if act.Err != nil {
			t.Errorf("%s: %v", act, act.Err)
		}
		for _, d := range act.Diagnostics {
			if act.Analyzer != viewconsistency.Analyzer || d.Category == "failure" {
				t.Errorf("%s: %s", act, d.Message)
			}
		}
		for _, dep := range act.Deps {
			visit(dep)
		}
	}
	for _, r := range results {
		visit(r.Action)
	}
}

// A recorder keeps what analysistest finds wrong, but for the reports that are
// not in its comments.
type recorder struct{ errors []string }

func (r *recorder) Errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, "diagnostic") {
		r.errors = append(r.errors, text)
	}
}

// others runs the analyzer over the packages that do not have comments for all
// reports.
var others = sync.OnceValue(func() []*analysistest.Result { return quietly(other) })

func quietly(pkgs []string) []*analysistest.Result {
	var r recorder
	results := analysistest.Run(&r, analysistest.TestData(), viewconsistency.Analyzer, pkgs...)
	if len(r.errors) > 0 {
		panic(strings.Join(r.errors, "\n"))
	}
	return results
}

// of returns the results for one package.
func of(t *testing.T, results []*analysistest.Result, pkg string) (out []*analysistest.Result) {
	t.Helper()
	for _, r := range results {
		if r.Pass != nil && r.Pass.Pkg.Path() == pkg {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		t.Fatalf("package %s was not analyzed", pkg)
	}
	healthy(t, out)
	return out
}

func TestMessages(t *testing.T) {
	want := []string{
		"27: split-read: r.w at line 23 and r.h here are read apart, in separate critical sections, but written together by (*Rect).Resize under Rect.mu (messages.go:18); if it runs in between, the two do not belong together, though both reach the result",
		"32: split-read: r.w at line 31 and r.h here are read apart, in separate critical sections, but written together by (*Rect).Resize under Rect.mu (messages.go:18); if it runs in between, the two do not belong together, though both reach the decision at line 34",
		"40: split-read: r.w at line 39 and r.h here are read apart, in separate critical sections, but written together by (*Rect).Resize under Rect.mu (messages.go:18); if it runs in between, the two do not belong together, though both reach the call at line 41",
		"46: split-read: r.w at line 45 and r.h here are read apart, in separate critical sections, but written together by (*Rect).Resize under Rect.mu (messages.go:18); if it runs in between, the two do not belong together, though both reach the write at line 46",
		"68: split-write: r.w at line 65 and r.h here are written apart, in separate critical sections, but written together by (*Rect).Resize under Rect.mu (messages.go:18); each may overwrite a part of what the other leaves",
		"79: split-read: r.soft at line 78 and r.hard here are read apart, in separate atomic operations, but written together by (*Rect).Limit (messages.go:73); if it runs in between, the two do not belong together, though both reach the result",
		"107: split-write: buy at line 106 and sell here are written apart, in separate critical sections, but read together by Spread under ratesMu (messages.go:102); it may see the one new and the other old",
	}
	var got []string
	for _, r := range of(t, others(), "messages") {
		for _, d := range r.Diagnostics {
			got = append(got, fmt.Sprintf("%d: %s", r.Pass.Fset.Position(d.Pos).Line, d.Message))
			if !strings.HasPrefix(d.Message, d.Category+": ") {
				t.Errorf("category %q, message %q", d.Category, d.Message)
			}
			if want := viewconsistency.Analyzer.URL + "#" + d.Category; d.URL != want {
				t.Errorf("URL is %q, want %q", d.URL, want)
			}
		}
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("missing: %s", want[i])
		case i >= len(want):
			t.Errorf("unexpected: %s", got[i])
		case got[i] != want[i]:
			t.Errorf("got:  %s\nwant: %s", got[i], want[i])
		}
	}
}

// TestRelated compares the related positions of a report with the comments on
// those lines. There is one report, and it names one of the writers of the pair.
func TestRelated(t *testing.T) {
	r := of(t, others(), "related")[0]
	if n := len(r.Diagnostics); n != 1 {
		t.Fatalf("got %d reports, want 1", n)
	}
	comments := make(map[int]string)
	for _, group := range r.Pass.Files[0].Comments {
		for _, c := range group.List {
			comments[r.Pass.Fset.Position(c.Pos()).Line] = strings.TrimPrefix(c.Text, "// ")
		}
	}
	at := func(pos token.Pos) string { return comments[r.Pass.Fset.Position(pos).Line] }
	d := r.Diagnostics[0]
	if got := at(d.Pos); got != "report" {
		t.Errorf("the report is at %q", got)
	}
	var got []string
	for _, rel := range d.Related {
		got = append(got, at(rel.Pos)+": "+rel.Message)
	}
	want := []string{
		"first: s.from is read here",
		"release: s.mu is released here",
		"second section: the second critical section begins here",
		"join: the two values come together here",
		"view: both are written together here, by (*Span).Move",
	}
	if !slices.Equal(got, want) {
		t.Errorf("related positions:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestKnown holds what the analyzer is known to get wrong.
func TestKnown(t *testing.T) {
	known.Check(t, of(t, others(), "known"))
	known.Check(t, of(t, others(), "knownmain"))
}

// TestClauses offers no fix where more than a statement is on its line. This is
// not in testdata, because gofmt would break the lines.
func TestClauses(t *testing.T) {
	pass := scratch(t, "clauses", `
func (r *rect) Case(n int) int {
	r.mu.Lock()
	w := r.w
	switch {
	case n > 0: r.mu.Unlock()
		r.mu.Lock()
		w += r.h
	}
	r.mu.Unlock()
	return w
}

func (r *rect) Default(n int) int {
	r.mu.Lock()
	w := r.w
	switch {
	case n > 0:
	default: r.mu.Unlock()
		r.mu.Lock()
		w += r.h
	}
	r.mu.Unlock()
	return w
}

func (r *rect) Type(x any) int {
	r.mu.Lock()
	w := r.w
	switch x.(type) {
	case int: r.mu.Unlock()
		r.mu.Lock()
		w += r.h
	}
	r.mu.Unlock()
	return w
}

func (r *rect) Receive(c <-chan int) int {
	r.mu.Lock()
	w := r.w
	select {
	case <-c: r.mu.Unlock()
		r.mu.Lock()
		w += r.h
	default:
	}
	r.mu.Unlock()
	return w
}

func (r *rect) Block(n int) int {
	r.mu.Lock()
	w := r.w
	if n > 0 { r.mu.Unlock()
		r.mu.Lock()
		w += r.h
	}
	r.mu.Unlock()
	return w
}

func (r *rect) Label() int {
	r.mu.Lock()
	w := r.w
again: r.mu.Unlock()
	r.mu.Lock()
	w += r.h
	if w < 0 {
		goto again
	}
	r.mu.Unlock()
	return w
}
`)
	if n := len(pass.Diagnostics); n != 6 {
		t.Errorf("got %d reports, want 6", n)
	}
	for _, d := range pass.Diagnostics {
		if len(d.SuggestedFixes) > 0 {
			t.Errorf("line %d: a fix is offered: %s", pass.Pass.Fset.Position(d.Pos).Line, d.Message)
		}
	}
}

// scratch analyzes a package with a pair, r.w and r.h, and more text.
func scratch(t *testing.T, name, text string) *analysistest.Result {
	t.Helper()
	dir, cleanup, err := analysistest.WriteFiles(map[string]string{name + "/" + name + ".go": "package " + name + `

import "sync"

type rect struct {
	mu   sync.Mutex
	w, h int
}

func (r *rect) Resize(w, h int) { r.mu.Lock(); r.w, r.h = w, h; r.mu.Unlock() }
` + text})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cleanup)
	var r recorder
	results := analysistest.Run(&r, dir, viewconsistency.Analyzer, name)
	if len(r.errors) > 0 {
		t.Fatal(strings.Join(r.errors, "\n"))
	}
	return results[0]
}

// TestLines: a line directive tells where the text came from, not where it is.
func TestLines(t *testing.T) {
	const text = `func (r *rect) Area() int {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock()
	r.mu.Lock()
	h := r.h
	r.mu.Unlock()
	return w * h
}
`
	for _, directive := range []string{"//line near.y:1", "//line far.y:1000"} {
		pass := scratch(t, "lines", "\n"+directive+"\n"+text)
		if len(pass.Diagnostics) != 1 || len(pass.Diagnostics[0].SuggestedFixes) != 1 {
			t.Fatalf("%s: no fix is offered: %v", directive, pass.Diagnostics)
		}
		edit := pass.Diagnostics[0].SuggestedFixes[0].TextEdits[0]
		file := pass.Pass.Fset.File(edit.Pos)
		data, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(data[file.Offset(edit.Pos):file.Offset(edit.End)]), "\tr.mu.Unlock()\n"; got != want {
			t.Errorf("%s: the fix removes %q, want %q", directive, got, want)
		}
	}
}

// TestLists looks for packages that are in no list.
func TestLists(t *testing.T) {
	dirs, err := os.ReadDir(filepath.Join(analysistest.TestData(), "src"))
	if err != nil {
		t.Fatal(err)
	}
	listed := slices.Concat(wrong, silent, other, plain, loose, fixable)
	for _, d := range dirs {
		if !slices.Contains(listed, d.Name()) {
			t.Errorf("no test looks at package %s", d.Name())
		}
	}
}

// TestDeterminism runs the analyzer several times over the same packages: all that
// it reports has to be the same.
func TestDeterminism(t *testing.T) {
	dir := analysistest.TestData()
	initial, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax,
		Dir:  dir,
		Env:  append(os.Environ(), "GOPATH="+dir, "GO111MODULE=off", "GOPROXY=off", "GOWORK=off"),
	}, "inline", "point", "client", "objects", "atomics", "joins", "writes", "fix")
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(initial) > 0 {
		t.Fatal("the packages do not compile")
	}
	first := ""
	for i := range 4 {
		graph, err := checker.Analyze([]*analysis.Analyzer{viewconsistency.Analyzer}, initial, nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []string // the order of All is not fixed
		for act := range graph.All() {
			all = append(all, text(act))
		}
		slices.Sort(all)
		got := strings.Join(all, "")
		if i == 0 {
			first = got
			if strings.Count(first, "[split-read]") < 50 || strings.Count(first, "[split-write]") < 10 {
				t.Errorf("this is not much:\n%s", first)
			}
		} else if got != first {
			t.Fatalf("run %d differs from the first:\n%s", i+1, difference(first, got))
		}
	}
}

// text returns all that an action has reported.
func text(act *checker.Action) string {
	var b strings.Builder
	pos := act.Package.Fset.Position
	fmt.Fprintln(&b, act)
	for _, d := range act.Diagnostics {
		fmt.Fprintf(&b, "\t%s-%s [%s] %s <%s>\n", pos(d.Pos), pos(d.End), d.Category, d.Message, d.URL)
		for _, r := range d.Related {
			fmt.Fprintf(&b, "\t\t%s-%s %s\n", pos(r.Pos), pos(r.End), r.Message)
		}
		for _, f := range d.SuggestedFixes {
			fmt.Fprintf(&b, "\t\tfix %s\n", f.Message)
			for _, e := range f.TextEdits {
				fmt.Fprintf(&b, "\t\t\t%s-%s %q\n", pos(e.Pos), pos(e.End), e.NewText)
			}
		}
	}
	return b.String()
}

// difference returns the first lines in which a and b differ.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\n" + y[i]
		}
	}
	return fmt.Sprintf("%d lines and %d lines", len(x), len(y))
}
