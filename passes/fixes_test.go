package passes_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes"
	"github.com/atomvet/atomvet/passes/corpus"
)

// TestFixes applies all fixes to the kernels and the idioms, compiles what they leave, and runs the
// detectors again: the reports that suggested the fixes are gone. With -v it prints a table.
func TestFixes(t *testing.T) {
	l, err := loader()
	if err != nil {
		t.Fatal(err)
	}
	list, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	applied := 0
	cfg := corpus.Config{Detectors: passes.All()}.At("low")
	for _, name := range []string{"kernels", "idioms"} {
		fixed, files, err := load(t, name).Fix(cfg)
		if err != nil {
			t.Fatal(err)
		}
		applied += len(fixed)
		i := slices.IndexFunc(list, func(s corpus.Source) bool { return s.Name == name })
		src := list[i]
		src.Overlay = files
		c, err := l.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range c.Broken {
			t.Errorf("%s, with fixes: %v", name, err)
		}
		before, after := counts(reports(t, load(t, name), "low")), counts(reports(t, c, "low"))
		gone := make(map[report]int)
		for _, f := range fixed {
			gone[key(f.Report)]++
		}
		for _, f := range fixed {
			k := key(f.Report)
			state := "gone"
			if after[k] > before[k]-gone[k] {
				state = "still there"
				t.Errorf("%s:%d: %s: %s, but it is reported again", f.File, f.Line, f.Message, f.Fix)
			}
			t.Logf("%-50s %-24s %-28s %s", path.Dir(strings.TrimPrefix(f.File, "testdata/")), f.Category, f.Fix, state)
		}
	}
	if applied == 0 {
		t.Error("there are no fixes")
	}
}

// key is what a report is but for its lines. Where one report stands for several, the next takes its
// place, which is about another location.
func key(r corpus.Report) report {
	location, _, _ := strings.Cut(r.Message, " was ")
	return report{r.Analyzer, r.Category, r.Function, location, r.File}
}

func counts(list []corpus.Report) map[report]int {
	out := make(map[report]int)
	for _, r := range list {
		out[key(r)]++
	}
	return out
}
