package atomicset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/atomicset/internal/scenario"
)

// A program is one of the paper's, or one like it.
type program struct {
	name string
	// paper is its row in table 2 of the paper: the number of the scenario,
	// the length of the counterexample, and whether it is a bug.
	paper string
	// ours are the reports: the numbers of the scenarios, and the lines of
	// their traces.
	ours string
	// inferred is how many reports there are about the sets that are inferred
	// if the program declares none, and why is why there are none.
	inferred int
	why      string
}

// The names in the paper are Vector (the example of section 2), and of table 2
// SoftwareVerificationHW, Test, BuggedProgram, bufwriter, BuggyProgram, Account,
// IBM Airlines, BugTester, ProducerConsumer and shop.
var programs = []program{
	{"account", "1 8 true", "1:3", 0, "no set: balance is also written without the lock of its account"},
	{"account_ok", "", "", 0, ""},
	{"allocvector", "1 15 true", "1:8", 1, ""},
	{"allocvector_ok", "", "", 0, ""},
	{"bubblesort", "2 10 false", "1:8", 1, ""},
	{"bubblesort_ok", "", "", 0, ""},
	{"bubblesort_sleep", "", "2:9", 0, "all accesses of ordered are in a loop, so it is no unit of work"},
	{"bufwriter", "out of memory", "6:5 1:4 6:7", 0, "the set is count alone: the others are also written without the lock"},
	{"bufwriter_ok", "", "", 0, ""},
	{"linkedlist", "1 6 true", "1:6", 0, "the first access is made without the lock"},
	{"linkedlist_nolock", "", "1:3", 0, "no lock, so no set"},
	{"linkedlist_ok", "", "", 0, ""},
	{"lottery", "4 9 true", "6:4 2:3 1:3", 0, "no set: the locks of the users do not guard what they share"},
	{"lottery_method", "", "2:8 1:8", 2, ""},
	{"lottery_ok", "", "", 0, ""},
	{"pingpong", "2 7 true", "1:3", 0, "no lock, so no set"},
	{"pingpong_locked", "", "1:8", 1, ""},
	{"pingpong_ok", "", "", 0, ""},
	{"piper", "1 6 true", "1:8", 0, "the write does not depend on the read, which only decides whether to wait"},
	{"piper_ok", "", "", 0, ""},
	{"producerconsumer", "1 9 true", "1:8 1:8", 2, ""},
	{"producerconsumer_ok", "", "", 0, ""},
	{"shop", "out of memory", "1:8", 1, ""},
	{"shop_ok", "", "", 0, ""},
	{"vector", "9 - true", "9:10", 1, ""},
	{"vector_ok", "", "", 0, ""},
	{"vectordata", "", "14:10", 1, ""},
}

func programNames() (out []string) {
	for _, p := range programs {
		out = append(out, p.name)
	}
	return out
}

// byName returns the results by the names of the programs.
func byName(t *testing.T, results []*analysistest.Result) map[string]*analysistest.Result {
	t.Helper()
	out := make(map[string]*analysistest.Result)
	for _, r := range results {
		out[r.Pass.Pkg.Path()] = r
	}
	for _, p := range programs {
		if out[p.name] == nil {
			t.Fatalf("program %s was not analyzed", p.name)
		}
	}
	return out
}

// TestPrograms checks the reports on the programs of the paper by the "want"
// comments in them. Those whose names end with ok have none.
func TestPrograms(t *testing.T) {
	for name, r := range byName(t, run(t, programNames()...)) {
		if n, ok := len(r.Diagnostics), strings.HasSuffix(name, "_ok"); (n == 0) != ok {
			t.Errorf("program %s: %d reports", name, n)
		}
	}
}

// exact is what the statistics say of a set if all questions were answered, and
// answered exactly.
var exact = regexp.MustCompile(`[1-9][0-9]* questions, 0 of them answered by a bounded search$`)

// TestTable compares our results with those of the paper. Each answer is exact.
func TestTable(t *testing.T) {
	set(t, "stats")
	results := byName(t, quietly(t, analysistest.TestData(), programNames()...))
	t.Logf("%-20s %-15s %s", "program", "paper", "ours (scenario:steps)")
	for _, p := range programs {
		var ours []string
		for _, d := range only(results[p.name], "") {
			ours = append(ours, fmt.Sprintf("%d:%d", number(t, d.Category), strings.Count(d.Message, "\n\t")))
		}
		got := strings.Join(ours, " ")
		if got != p.ours {
			t.Errorf("program %s: reports %q, want %q", p.name, got, p.ours)
		}
		t.Logf("%-20s %-15s %s", p.name, p.paper, got)
		sets := only(results[p.name], "stats")
		if len(sets) != 1 {
			t.Errorf("program %s: %d sets, want 1", p.name, len(sets))
		}
		for _, d := range sets {
			if !exact.MatchString(d.Message) {
				t.Errorf("program %s: %s", p.name, d.Message)
			}
		}
	}
}

// number returns the number of a scenario.
func number(t *testing.T, category string) int {
	t.Helper()
	for _, s := range scenario.All {
		if s.String() == category {
			return s.Number
		}
	}
	t.Errorf("category %s is no scenario", category)
	return 0
}

// TestInfer has the programs without their directives.
func TestInfer(t *testing.T) {
	set(t, "infer")
	directive := regexp.MustCompile("//atomvet:.*|// want .*")
	files := make(map[string]string)
	for _, p := range programs {
		name := filepath.Join(p.name, p.name+".go")
		data, err := os.ReadFile(filepath.Join(analysistest.TestData(), "src", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = directive.ReplaceAllString(string(data), "")
	}
	dir, cleanup, err := analysistest.WriteFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cleanup)
	results := byName(t, quietly(t, dir, programNames()...))
	for _, p := range programs {
		r := results[p.name]
		if n := len(r.Diagnostics); n != p.inferred {
			t.Errorf("program %s: %d reports, want %d", p.name, n, p.inferred)
		}
		for _, d := range r.Diagnostics {
			text, _, _ := strings.Cut(d.Message, "\n")
			t.Logf("%s: %s", p.name, text)
			if d.Category != "inferred-set" {
				t.Errorf("program %s: category %s", p.name, d.Category)
			}
		}
		if len(r.Diagnostics) == 0 && p.ours != "" {
			t.Logf("%s: nothing: %s", p.name, p.why)
		}
	}
}
