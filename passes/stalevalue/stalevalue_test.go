package stalevalue_test

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
	"github.com/atomvet/atomvet/passes/stalevalue"
	"github.com/atomvet/atomvet/passes/summary"
)

// Every package below testdata/src is in one of these lists.
var (
	// Wrong code beside its correct twin.
	wrong = []string{
		"locks",   // kinds of locks
		"values",  // ways of a value through a function
		"shapes",  // containers, deferred calls, goroutines
		"callees", // what is split over several functions
		"store",   // accessors of types that lock by themselves
		"client",  // the same from another package, by facts alone
		"syncmap",
		"atomics",
		"lazy",
		"loops",
		"stale",   // check-then-act and stale-use of related variables
		"bugs",    // small programs
		"program", // a main package, with its goroutines in sight
		"escaperef",
		"annotations", // the locks that comments name
		"confined",    // what one goroutine at a time runs, by evidence
		"order",       // before the start of a goroutine and after its end
		"claim",       // flags that are locks
		"precise",     // correct by a later look, growth or equality, beside its wrong neighbours
		"parts",       // what methods of another package need
		"lesslook",    // callees that look again, for less
		"marks",       // what is noted of a goroutine after its start
		"told",        // flags that tell of what is written with them
		"pools",       // containers of objects with a life of their own
		"reload",      // what is found usable and read again
		"reach",       // what only some can reach
		"sequential",  // a package with a test, which does one thing after the other
		"mechanisms",  // for each rule a case and its twin
		"instances",   // goroutines that run once per object, and what these share
		"counters",    // counters that are loaded after an own update
		"wakeup",      // condition variables
		"skew",        // functions that look at what the other one writes
		"awaited",     // what was waited for in an earlier section
		"tables",      // literals in the initial values of package variables
		"keys",        // keys that are computed alike
		"outcomes",    // results that tell the way a callee has taken
		"shutdowns",   // flags that are set before what a callee returns is acted on
		"detours",     // conditions of what is done before the act
		"stranded",    // workers that end when there is nothing to do
		"replies",     // answers that come early, and values that are stored late
		"handed",      // objects that go over channels
		"cleared",     // flags that are cleared after the work
		"steps",       // states that others take further
		"serial",      // keys that are used once, and what is taken back
		"helpers",     // functions that stand between a function and its locks
		"presence",    // what others leave absent, and versions that are compared afterwards
		"counted",     // objects that are removed when nobody uses them
		"lengths",     // channels whose length is asked
		"closes",      // channels that are closed while goroutines send
		"escaped",     // references to containers that get out
		"acts",        // acts that are no writes
		"handoff",     // acts by those who receive what is sent
		"lifetimes",   // objects that are used after their end
		"params",      // locks and what they guard as parameters
		"discarded",   // what is there is removed after an operation on another object
		"takeover",    // what is there is removed by its name, when another object may be there
		"heaps",       // container/heap
		"drained",     // lists and counters that are emptied after use
		"verdicts",    // checks that tell by an error what they have found
		"copies",      // structs that are copied out of the shared state
		"positions",   // indices into lists that change
		"joined",      // objects that a function shares with its goroutines only
		"memo",        // results that are kept, and what is made when it is first needed
		"pooled",      // objects of a sync.Pool
		"timed",       // values that are the current time, or have it
		"published",   // objects that their maker has given to others
		"chosen",      // objects that are chosen by what was found out of them
		"captured",    // local variables that goroutines share
		"handlers",    // functions that another package keeps
		"forward",     // functions that only call another one
		"forwardmain", // a program that begins with one
		"directive",   // comments that silence reports, and some that do not
	}
	// Correct code that looks wrong, and code that makes no sense.
	silent = []string{"idiom", "part", "programs", "weird", "covered", "tracer"}
	// Packages that the tests look at more closely.
	other = []string{"messages", "related", "known", "strict"}
	// Packages for the flag -strict.
	strict = []string{"strict", "knownstrict"}
	// Packages for the flag -runs.
	executed = []string{"interleaving"}
	// Packages for the flag -confidence.
	doubtful = []string{"doubts"}
)

// TestReports checks all reports by the "want" comments in the packages.
func TestReports(t *testing.T) {
	results := analysistest.Run(t, analysistest.TestData(), stalevalue.Analyzer, slices.Concat(wrong, silent)...)
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
		if act.Analyzer != stalevalue.Analyzer {
			for _, d := range act.Diagnostics {
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
	results := analysistest.Run(&r, analysistest.TestData(), stalevalue.Analyzer, pkgs...)
	if len(r.errors) > 0 {
		panic(strings.Join(r.errors, "\n"))
	}
	return results
}

// of returns the results for one package and its tests.
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
		"33: lost-update: a.sum was read at line 30, but a.mu was released at line 31 and an update by another goroutine is lost by this write (Acct.sum is also written by (*Acct).Set, messages.go:24, which is exported)",
		"46: check-then-act: a.kind[name] was checked at line 39, but a.mu was released at line 40 and another goroutine may change it before this write (two calls of the exported (*Acct).Plan may do this at once)",
		"62: stale-use: a.sum was read at line 59, but a.mu was released at line 60 and another goroutine may change it before this write of a.last (Acct.sum is also written by (*Acct).Set, messages.go:24, which is exported)",
		"73: lost-update: a.sum was read at line 73, but a.mu was released when Get returned and an update by another goroutine is lost by this call of Set (Acct.sum is also written by (*Acct).Double, messages.go:33, which is exported)",
		"80: lost-update: a.refs was read at line 79, but the atomic operations are separate and an update by another goroutine is lost by this write (Acct.refs is also written by (*Acct).Reset, messages.go:76, which is exported)",
		"89: check-then-act: a.tags[name] was checked at line 86, but the atomic operations are separate and another goroutine may change it before this write (two calls of the exported (*Acct).Tag may do this at once)",
		"109: lost-update: fleet was read at line 105, but fleetMu was released at line 106 and an update by another goroutine is lost by this write (fleet is also written by Scrap, messages.go:99, which is exported)",
		"118: lost-update: price was read at line 115, but priceMu was released at line 116 and an update by another goroutine is lost by this write (two calls of the exported Reprice may do this at once)",
		"141: check-then-act: l.arm was checked at line 134, but l.mu was released at line 135 and another goroutine may change it before this write (two calls of (*lamp).Arm may do this at once)",
	}
	var got []string
	for _, r := range of(t, others(), "messages") {
		for _, d := range r.Diagnostics {
			got = append(got, fmt.Sprintf("%d: %s", r.Pass.Fset.Position(d.Pos).Line, d.Message))
			if !strings.HasPrefix(d.Message, d.Category+": ") {
				t.Errorf("category %q, message %q", d.Category, d.Message)
			}
			if want := stalevalue.Analyzer.URL + "#" + d.Category; d.URL != want {
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
// those lines.
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
	if got := at(d.Pos); got != "act" {
		t.Errorf("the report is at %q", got)
	}
	var got []string
	for _, rel := range d.Related {
		got = append(got, at(rel.Pos)+": "+rel.Message)
	}
	want := []string{
		"check: s.parts[name] is read here",
		"release: s.mu is released here",
		"reacquisition: the later critical section begins here",
		"writer (*Stock).Sell: also written here, by (*Stock).Sell",
		"writer (*Stock).Scrap: also written here, by (*Stock).Scrap",
	}
	if !slices.Equal(got, want) {
		t.Errorf("related positions:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestDoubts: what something speaks against is reported if it is asked for.
func TestDoubts(t *testing.T) {
	level := stalevalue.Analyzer.Flags.Lookup("confidence").Value
	t.Cleanup(func() { level.Set("high") })
	for _, name := range []string{"high", "medium"} {
		if err := level.Set(name); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, r := range quietly(doubtful) {
			n += len(r.Diagnostics)
		}
		if want := map[string]int{"high": 13, "medium": 28}[name]; n != want {
			t.Errorf("confidence %s: %d reports, want %d", name, n, want)
		}
	}
	if err := level.Set("low"); err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, analysistest.TestData(), stalevalue.Analyzer, doubtful...)
}

// TestStrict sets the flag -strict for its time.
// TestRuns checks what the flag -runs leaves out, and that it shows a run for what it reports.
func TestRuns(t *testing.T) {
	flags := &stalevalue.Analyzer.Flags
	if err := flags.Set("runs", "true"); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := flags.Set("runs", "false"); err != nil {
			t.Error(err)
		}
	}()
	for _, r := range analysistest.Run(t, analysistest.TestData(), stalevalue.Analyzer, executed...) {
		for _, d := range r.Diagnostics {
			var steps []string
			for _, rel := range d.Related {
				if text, ok := strings.CutPrefix(rel.Message, "run: "); ok {
					steps = append(steps, text)
				}
			}
			want := []string{
				"goroutine 1 reads d.level = d.level", "goroutine 1 releases d.mu",
				"goroutine 2 writes d.level = n'", "goroutine 2 releases d.mu",
				"goroutine 1 reads d.level = n'", "goroutine 1 writes d.level = -n'", "goroutine 1 releases d.mu",
				"outcome: d.level is -n'", "serial outcome: d.level is n'", "serial outcome: d.level is n'",
			}
			if !slices.Equal(steps, want) {
				t.Errorf("%s is shown with the run\n%s", d.Message, strings.Join(steps, "\n"))
			}
		}
	}
}

func TestStrict(t *testing.T) {
	flags := &stalevalue.Analyzer.Flags
	if err := flags.Set("strict", "true"); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := flags.Set("strict", "false"); err != nil {
			t.Error(err)
		}
	}()
	results := quietly(strict)
	for _, pkg := range strict {
		known.Check(t, of(t, results, pkg))
	}
	for _, r := range results {
		for _, d := range r.Diagnostics {
			if !strings.HasPrefix(d.Message, d.Category+": ") {
				t.Errorf("category %q, message %q", d.Category, d.Message)
			}
		}
	}
}

// TestNotStrict looks at the same code without the flag: values may escape.
func TestNotStrict(t *testing.T) {
	var got []string
	for _, r := range of(t, others(), "strict") {
		for _, d := range r.Diagnostics {
			got = append(got, d.Category)
		}
	}
	if want := []string{"lost-update"}; !slices.Equal(got, want) {
		t.Errorf("reports: %q, want %q", got, want)
	}
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
	listed := slices.Concat(wrong, silent, other, strict, doubtful, executed, []string{"fixes"})
	for _, d := range dirs {
		if !slices.Contains(listed, d.Name()) {
			t.Errorf("no test looks at package %s", d.Name())
		}
	}
}

// TestDeterminism runs the analyzer ten times over the same packages: all that
// it reports and exports has to be the same, byte for byte.
func TestDeterminism(t *testing.T) {
	dir := analysistest.TestData()
	initial, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax,
		Dir:  dir,
		Env:  append(os.Environ(), "GOPATH="+dir, "GO111MODULE=off", "GOPROXY=off", "GOWORK=off"),
	}, "locks", "callees", "client", "syncmap")
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(initial) > 0 {
		t.Fatal("the packages do not compile")
	}
	first := ""
	for i := range 10 {
		graph, err := checker.Analyze([]*analysis.Analyzer{stalevalue.Analyzer}, initial, nil)
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
			if strings.Count(first, "[lost-update]") < 10 || strings.Count(first, "\tfact") < 10 {
				t.Errorf("this is not much:\n%s", first)
			}
		} else if got != first {
			t.Fatalf("run %d differs from the first:\n%s", i+1, difference(first, got))
		}
	}
}

// text returns all that an action has reported, and its fact.
func text(act *checker.Action) string {
	var b strings.Builder
	pos := act.Package.Fset.Position
	fmt.Fprintln(&b, act)
	for _, f := range act.AllPackageFacts() {
		if f.Package == act.Package.Types {
			fmt.Fprintf(&b, "\tfact %x\n", f.Fact.(*summary.PackageSummary).Data)
		}
	}
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
