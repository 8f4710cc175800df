package atomicset_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/atomvet/atomvet/passes/atomicset"
	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
)

// TestStatistics: a model is reduced and does not grow, and of each set that
// processes access the questions are answered exactly.
func TestStatistics(t *testing.T) {
	set(t, "stats")
	sizes := regexp.MustCompile(`(\d+) processes; (\d+) procedures with (\d+) steps and (\d+) locks, reduced to (\d+), (\d+) and (\d+);`)
	for _, r := range quietly(t, analysistest.TestData(), mixed...) {
		list := only(r, "stats")
		if len(list) == 0 {
			t.Errorf("package %s: no statistics", r.Pass.Pkg.Path())
		}
		for _, d := range list {
			m := sizes.FindStringSubmatch(d.Message)
			if m == nil {
				t.Errorf("no sizes in %q", d.Message)
				continue
			}
			var n []int
			for _, text := range m[1:] {
				i, err := strconv.Atoi(text)
				if err != nil {
					t.Fatal(err)
				}
				n = append(n, i)
			}
			if n[0] == 0 || n[1] < n[4] || n[2] < n[5] || n[3] < n[6] || n[5] == 0 {
				t.Errorf("unlikely: %s", d.Message)
			}
			if all := exact.MatchString(d.Message) || strings.Contains(d.Message, " 0 questions, "); all == (r.Pass.Pkg.Path() == "bounded") {
				t.Errorf("package %s: %s", r.Pass.Pkg.Path(), d.Message)
			}
		}
	}
}

// empty is a procedure of which nothing is left.
var empty = regexp.MustCompile(`\nproc [^ ]* {\n}\n`)

// TestModels: models are reported in their text form.
func TestModels(t *testing.T) {
	set(t, "model")
	results := slices.Concat(
		quietly(t, writePrograms(t, unchanged), programNames()...),
		quietly(t, analysistest.TestData(), mixed...))
	for _, r := range results {
		list := only(r, "model")
		if len(list) == 0 {
			t.Errorf("package %s: no models", r.Pass.Pkg.Path())
		}
		for _, d := range list {
			_, text, _ := strings.Cut(d.Message, "\n")
			// Known: names of package variables have a # in them, which begins a
			// comment, and procedures of which nothing is left are read as ones
			// that return.
			text = empty.ReplaceAllString(strings.ReplaceAll(text, "#", "."), "")
			m, err := model.Parse(text)
			if err != nil {
				t.Errorf("package %s: %v in\n%s", r.Pass.Pkg.Path(), err, text)
				continue
			}
			if len(m.Processes) == 0 || len(m.Locations) == 0 {
				t.Errorf("package %s: an empty model:\n%s", r.Pass.Pkg.Path(), text)
			}
			if again := m.String(); again != text {
				t.Errorf("package %s: the model\n%s\nis read as\n%s", r.Pass.Pkg.Path(), text, again)
			}
		}
	}
}

// TestTrace has one report in full.
func TestTrace(t *testing.T) {
	want := []string{
		`R(a) W'(a) W(a): (*Vector).Allocate is not one atomic step for the atomic set blocks of Vector: R(state) W'(state) W(state), if another (*Vector).Allocate comes in between`,
		"\t1. (*Vector).Allocate, in (*Vector).FindFree, takes v.mu (allocvector.go:32)",
		"\t2. (*Vector).Allocate, in (*Vector).FindFree, reads v.state (allocvector.go:34)",
		"\t3. (*Vector).Allocate, in (*Vector).FindFree, releases v.mu (allocvector.go:33)",
		"\t4. (*Vector).Allocate', in (*Vector).MarkAllocated, takes v.mu (allocvector.go:46)",
		"\t5. (*Vector).Allocate', in (*Vector).MarkAllocated, writes v.state[i] (allocvector.go:48)",
		"\t6. (*Vector).Allocate', in (*Vector).MarkAllocated, releases v.mu (allocvector.go:47)",
		"\t7. (*Vector).Allocate, in (*Vector).MarkAllocated, takes v.mu (allocvector.go:46)",
		"\t8. (*Vector).Allocate, in (*Vector).MarkAllocated, writes v.state[i] (allocvector.go:48)",
	}
	for _, r := range quietly(t, writePrograms(t, unchanged), "allocvector") {
		for _, d := range r.Diagnostics {
			if got := strings.Split(d.Message, "\n"); !slices.Equal(got, want) {
				t.Errorf("got:\n%s\nwant:\n%s", d.Message, strings.Join(want, "\n"))
			}
			if want := atomicset.Analyzer.URL + "#R(a)%20W%27(a)%20W(a)"; d.URL != want {
				t.Errorf("URL is %q, want %q", d.URL, want)
			}
			// The related positions say the same, step by step.
			for i, rel := range d.Related {
				p := r.Pass.Fset.Position(rel.Pos)
				if line := fmt.Sprintf("\t%s (allocvector.go:%d)", rel.Message, p.Line); i+1 >= len(want) || line != want[i+1] {
					t.Errorf("related position %d: %s", i, line)
				}
			}
			if len(d.Related) != len(want)-1 {
				t.Errorf("%d related positions, want %d", len(d.Related), len(want)-1)
			}
		}
	}
}

// TestDeterminism runs the analyzer several times over the same packages, with all
// flags, and in another order: all that it reports has to be the same.
func TestDeterminism(t *testing.T) {
	set(t, "infer")
	set(t, "stats")
	set(t, "model")
	names := append([]string{"producerconsumer", "lottery", "bufwriter", "vector"}, mixed...)
	dirs := []string{analysistest.TestData(), writePrograms(t, unchanged)}
	initial := load(t, dirs, names...)
	first := reports(t, initial)
	if n, m := strings.Count(first, "[R(a)"), strings.Count(first, "[inferred-set]"); n < 40 || m < 20 {
		t.Errorf("%d reports, %d about inferred sets: this is not much", n, m)
	}
	if again := reports(t, initial); again != first {
		t.Errorf("the second run differs from the first:\n%s", difference(first, again))
	}
	slices.Reverse(names)
	if other := reports(t, load(t, dirs, names...)); other != first {
		t.Errorf("in another order:\n%s", difference(first, other))
	}
}

// load loads packages from directories like testdata.
func load(t *testing.T, dirs []string, names ...string) []*packages.Package {
	t.Helper()
	initial, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax,
		Dir:  dirs[0],
		Env:  append(os.Environ(), "GOPATH="+strings.Join(dirs, string(os.PathListSeparator)), "GO111MODULE=off", "GOPROXY=off", "GOWORK=off"),
	}, names...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(initial) > 0 {
		t.Fatal("the packages do not compile")
	}
	return initial
}

// reports returns all that is reported, in some order that is always the same.
func reports(t *testing.T, initial []*packages.Package) string {
	t.Helper()
	graph, err := checker.Analyze([]*analysis.Analyzer{atomicset.Analyzer}, initial, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string // the order of All is not fixed
	for act := range graph.All() {
		if len(act.Diagnostics) > 0 {
			all = append(all, text(act))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "")
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
