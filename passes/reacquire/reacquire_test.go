package reacquire_test

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
	"github.com/atomvet/atomvet/passes/reacquire"
)

// Every package below testdata/src is in one of these lists.
var (
	// Wrong code beside its correct twin.
	wrong = []string{
		"papers",    // the programs of the papers
		"flow",      // the ways from one passage to the next
		"calls",     // passages and contexts in other functions
		"client",    // containers of another package, by facts alone
		"locks",     // all kinds of locks
		"doubts",    // what something serious speaks against
		"confined",  // what one goroutine at a time runs
		"directive", // comments that silence reports, and some that do not
	}
	// Correct code that looks wrong.
	silent = []string{"idiom", "store"}
	// Packages that the tests look at more closely.
	other = []string{"related", "known"}
	exact = []string{"messages"}
	// Packages for the flags.
	flagged = []string{"benign", "stylistic", "variant"}
)

// TestMain lets the tests see all that the analyzer finds, however much it doubts that
// it does harm: see TestDoubts.
func TestMain(m *testing.M) {
	if err := reacquire.Analyzer.Flags.Set("confidence", "low"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestReports checks all reports by the "want" comments in the packages.
func TestReports(t *testing.T) {
	results := analysistest.Run(t, analysistest.TestData(), reacquire.Analyzer, slices.Concat(wrong, silent)...)
	healthy(t, results)
	for _, r := range results {
		path := r.Pass.Pkg.Path()
		if n := len(r.Diagnostics); n > 0 && slices.Contains(silent, path) {
			t.Errorf("package %s: %d reports", path, n)
		} else if n == 0 && slices.Contains(wrong, path) {
			t.Errorf("package %s: no reports", path)
		}
		for _, d := range r.Diagnostics {
			if d.Category != "reacquire" {
				t.Errorf("package %s: category %s without its flag", path, d.Category)
			}
		}
	}
}

// TestDoubts: what something speaks against is reported if it is asked for.
func TestDoubts(t *testing.T) {
	flags := &reacquire.Analyzer.Flags
	t.Cleanup(func() {
		if err := flags.Set("confidence", "low"); err != nil {
			t.Fatal(err)
		}
	})
	for level, want := range map[string]int{"high": 2, "medium": 8} {
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

// TestPattern has the pattern of the paper, whether it matters or not.
func TestPattern(t *testing.T) {
	set(t, "pattern")
	healthy(t, analysistest.Run(t, analysistest.TestData(), reacquire.Analyzer, "benign"))
}

// TestStylistic has inner locks that are of no use.
func TestStylistic(t *testing.T) {
	set(t, "stylistic")
	healthy(t, analysistest.Run(t, analysistest.TestData(), reacquire.Analyzer, "stylistic"))
}

// TestVariant has two witnesses.
func TestVariant(t *testing.T) {
	set(t, "variant")
	healthy(t, analysistest.Run(t, analysistest.TestData(), reacquire.Analyzer, "variant"))
}

// TestFlagsAdd looks at the same code with other flags: a flag only adds reports.
func TestFlagsAdd(t *testing.T) {
	count := func(flags ...string) map[string]int {
		for _, name := range flags {
			defer change(t, name, "true")()
		}
		got := make(map[string]int)
		for _, r := range quietly(flagged) {
			for _, d := range r.Diagnostics {
				got[r.Pass.Pkg.Path()+": "+d.Category]++
			}
		}
		return got
	}
	base := map[string]int{"stylistic: reacquire": 1, "variant: reacquire": 1}
	for _, test := range []struct {
		flags []string
		more  map[string]int
	}{
		{nil, nil},
		{[]string{"stylistic"}, map[string]int{"stylistic: stylistic": 2}},
		{[]string{"pattern"}, map[string]int{"stylistic: stylistic": 2, "stylistic: pattern": 1, "benign: pattern": 10}},
	} {
		got := count(test.flags...)
		want := make(map[string]int)
		for k, n := range base {
			want[k] = n
		}
		for k, n := range test.more {
			want[k] = n
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("flags %v: reports %v, want %v", test.flags, got, want)
		}
	}
}

// set sets a flag for the time of a test.
func set(t *testing.T, name string) {
	t.Helper()
	t.Cleanup(change(t, name, "true"))
}

// change sets a flag and returns a function that restores it.
func change(t *testing.T, name, value string) func() {
	t.Helper()
	flags := &reacquire.Analyzer.Flags
	old := flags.Lookup(name).Value.String()
	if err := flags.Set(name, value); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := flags.Set(name, old); err != nil {
			t.Error(err)
		}
	}
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
			if act.Analyzer != reacquire.Analyzer || d.Category == "failure" {
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
	results := analysistest.Run(&r, analysistest.TestData(), reacquire.Analyzer, pkgs...)
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
	set(t, "pattern")
	set(t, "variant")
	want := []string{
		"35: reacquire: d.l.mu is taken again here, after line 34, in one critical section of d.mu; what the first passage reads of d.l.n may be changed in between by (*Level).Set (messages.go:21), which takes no Dam.mu, but the second relies on it",
		"43: reacquire: d.l.mu is taken again in each round of the loop, in one critical section of d.mu; what the first passage reads of d.l.n may be changed in between by (*Level).Set (messages.go:21), which takes no Dam.mu, but the second relies on it",
		"56: reacquire: d.l.mu is taken again here, after line 55, in one critical section of d.mu (held by (*Dam).Diff); what the first passage reads of d.l.n may be changed in between by (*Level).Set (messages.go:21), which takes no Dam.mu, but the second relies on it",
		"63: pattern: d.l.mu is taken again here, after line 62, in one critical section of d.mu",
		"70: pattern: d.l.mu is taken again in each round of the loop, in one critical section of d.mu",
		"95: stylistic: d.own.mu is taken again here, after line 94, in one critical section of d.mu, which protects all that it does",
		"102: variant: b.mu is taken here, after a.mu at line 101, in one critical section of d.mu: what the two protect may not fit together",
		"127: reacquire: levelMu is taken again here, after line 126, in one critical section of damMu; what the first passage reads of level may be changed in between by SetLevel (messages.go:120), which takes no damMu, but the second relies on it",
	}
	var got []string
	for _, r := range of(t, quietly(exact), "messages") {
		for _, d := range r.Diagnostics {
			got = append(got, fmt.Sprintf("%d: %s", r.Pass.Fset.Position(d.Pos).Line, d.Message))
			if !strings.HasPrefix(d.Message, d.Category+": ") {
				t.Errorf("category %q, message %q", d.Category, d.Message)
			}
			if want := reacquire.Analyzer.URL + "#" + d.Category; d.URL != want {
				t.Errorf("URL is %q, want %q", d.URL, want)
			}
		}
	}
	same(t, got, want)
}

// same compares two lists line by line.
func same(t *testing.T, got, want []string) {
	t.Helper()
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

// TestRelated compares the related positions of the reports with the comments on
// those lines.
func TestRelated(t *testing.T) {
	r := of(t, others(), "related")[0]
	comments := make(map[int]string)
	for _, group := range r.Pass.Files[0].Comments {
		for _, c := range group.List {
			comments[r.Pass.Fset.Position(c.Pos()).Line] = strings.TrimPrefix(c.Text, "// ")
		}
	}
	at := func(pos token.Pos) string { return comments[r.Pass.Fset.Position(pos).Line] }
	var got []string
	for _, d := range r.Diagnostics {
		got = append(got, at(d.Pos))
		for _, rel := range d.Related {
			got = append(got, "\t"+at(rel.Pos)+": "+rel.Message)
		}
	}
	same(t, got, []string{
		"report",
		"\tfirst: s.stock.mu is taken for the first time here",
		"\tcontext: the critical section of s.mu begins here",
		"\twriter: Stock.parts is also written here, by (*Stock).Sell",
		"report in the loop",
		"\tcontext of the loop: the critical section of s.mu begins here",
		"\twriter: Stock.parts is also written here, by (*Stock).Sell",
		"report in the callee",
		"\tfirst of the callee: s.stock.mu is taken for the first time here",
		"\twriter: Stock.parts is also written here, by (*Stock).Sell",
	})
}

// TestKnown holds what the analyzer is known to get wrong.
func TestKnown(t *testing.T) {
	known.Check(t, of(t, others(), "known"))
}

// TestLists looks for packages that are in no list.
func TestLists(t *testing.T) {
	dirs, err := os.ReadDir(filepath.Join(analysistest.TestData(), "src"))
	if err != nil {
		t.Fatal(err)
	}
	listed := slices.Concat(wrong, silent, other, exact, flagged)
	for _, d := range dirs {
		if !slices.Contains(listed, d.Name()) {
			t.Errorf("no test looks at package %s", d.Name())
		}
	}
}

// TestDeterminism runs the analyzer several times over the same packages, with all
// flags: all that it reports has to be the same.
func TestDeterminism(t *testing.T) {
	set(t, "pattern")
	set(t, "variant")
	dir := analysistest.TestData()
	initial, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax,
		Dir:  dir,
		Env:  append(os.Environ(), "GOPATH="+dir, "GO111MODULE=off", "GOPROXY=off", "GOWORK=off"),
	}, "papers", "flow", "calls", "client", "locks", "benign", "stylistic", "variant")
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(initial) > 0 {
		t.Fatal("the packages do not compile")
	}
	first := ""
	for i := range 4 {
		graph, err := checker.Analyze([]*analysis.Analyzer{reacquire.Analyzer}, initial, nil)
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
			if strings.Count(first, "[reacquire]") < 50 || strings.Count(first, "[pattern]") < 10 || strings.Count(first, "[variant]") < 10 {
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
