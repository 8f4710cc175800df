package atomicset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/atomvet/atomvet/passes/atomicset"
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
	{"account_branch", "", "1:3", 0, "no set, as of account"},
	{"account_deposit", "", "1:3", 0, "no set: Deposit writes balance without the lock"},
	{"account_iface", "", "1:3", 0, "no set, as of account"},
	{"account_iface_ok", "", "", 0, ""},
	{"allocvector", "1 15 true", "1:8", 1, ""},
	{"allocvector_ok", "", "", 0, ""},
	{"bubblesort", "2 10 false", "1:8", 1, ""},
	{"bubblesort_nolock", "", "1:3", 0, "no lock, so no set"},
	{"bubblesort_ok", "", "", 0, ""},
	{"bubblesort_sleep", "", "2:9", 0, "all accesses of ordered are in a loop, so it is no unit of work"},
	{"bubblesort_swap", "", "1:6", 0, "the first access is made without the lock"},
	{"bubblesort_swap_ok", "", "", 0, ""},
	{"bubblesort_wait_ok", "", "", 0, ""},
	{"bufwriter", "out of memory", "6:5 1:4 6:7", 0, "the set is count alone: the others are also written without the lock"},
	{"bufwriter_ok", "", "", 0, ""},
	{"linkedlist", "1 6 true", "1:6", 0, "the first access is made without the lock"},
	{"linkedlist_container", "", "1:3 1:3", 0, "no lock, so no set"},
	{"linkedlist_container_ok", "", "", 0, ""},
	{"linkedlist_nolock", "", "1:3", 0, "no lock, so no set"},
	{"linkedlist_ok", "", "", 0, ""},
	{"lottery", "4 9 true", "6:4 2:3 1:3", 0, "no set: the locks of the users do not guard what they share"},
	{"lottery_history", "", "1:8", 1, ""},
	{"lottery_method", "", "2:8 1:8", 2, ""},
	{"lottery_ok", "", "", 0, ""},
	{"pingpong", "2 7 true", "1:3", 0, "no lock, so no set"},
	{"pingpong_locked", "", "1:8", 1, ""},
	{"pingpong_ok", "", "", 0, ""},
	{"piper", "1 6 true", "1:8", 0, "the write does not depend on the read, which only decides whether to wait"},
	{"piper_ok", "", "", 0, ""},
	{"producerconsumer", "1 9 true", "1:8 1:8", 2, ""},
	{"producerconsumer_ok", "", "", 0, ""},
	{"producerconsumer_total", "", "1:3", 0, "no set: no lock guards the total"},
	{"shop", "out of memory", "1:8", 1, ""},
	{"shop_ok", "", "", 0, ""},
	{"vector", "9 - true", "9:10", 1, ""},
	{"vector_ok", "", "", 0, ""},
	{"vectordata", "", "14:10", 1, ""},
	{"vectordata_ok", "", "", 0, ""},
}

func programNames() (out []string) {
	for _, p := range programs {
		out = append(out, p.name)
	}
	return out
}

// papersDir has the programs, each in a package of its own, with tests that show
// what is wrong with it.
const papersDir = "../../testdata/papers/empire"

var packageClause = regexp.MustCompile(`(?m)^package \w+$`)

// writePrograms writes the programs into a directory that the analyzer can be run
// in, without their tests, and returns its name. There they are what they are in
// the paper, programs: as packages that others import, they would be run by any
// client.
func writePrograms(t *testing.T, edit func(text string) string) string {
	t.Helper()
	files := make(map[string]string)
	for _, p := range programs {
		name := filepath.Join(p.name, p.name+".go")
		data, err := os.ReadFile(filepath.Join(papersDir, name))
		if err != nil {
			t.Fatal(err)
		}
		text := packageClause.ReplaceAllString(string(data), "package main")
		files[name] = edit(text) + "\nfunc main() { Run() }\n"
	}
	dir, cleanup, err := analysistest.WriteFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cleanup)
	return dir
}

// unchanged is for writePrograms.
func unchanged(text string) string { return text }

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
	results := analysistest.Run(t, writePrograms(t, unchanged), atomicset.Analyzer, programNames()...)
	healthy(t, results)
	for name, r := range byName(t, results) {
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
	results := byName(t, quietly(t, writePrograms(t, unchanged), programNames()...))
	t.Logf("%-24s %-15s %s", "program", "paper", "ours (scenario:steps)")
	for _, p := range programs {
		var ours []string
		for _, d := range only(results[p.name], "") {
			ours = append(ours, fmt.Sprintf("%d:%d", number(t, d.Category), strings.Count(d.Message, "\n\t")))
		}
		got := strings.Join(ours, " ")
		if got != p.ours {
			t.Errorf("program %s: reports %q, want %q", p.name, got, p.ours)
		}
		t.Logf("%-24s %-15s %s", p.name, p.paper, got)
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
	dir := writePrograms(t, func(text string) string { return directive.ReplaceAllString(text, "") })
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
