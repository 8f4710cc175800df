package passes_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes"
	"github.com/atomvet/atomvet/passes/corpus"
	"github.com/atomvet/atomvet/passes/internal/anchor"
	"github.com/atomvet/atomvet/passes/summary"
)

// TestAnchors checks what a driver gets that asks for anchors, and for what packages know of their calls: the
// anchors of a finding name its act, what a check is, and who interferes, and each package tells of its calls once.
func TestAnchors(t *testing.T) {
	for _, name := range []string{"anchors", "outside"} {
		f := summary.Analyzer.Flags.Lookup(name)
		before := f.Value.String()
		if err := f.Value.Set("true"); err != nil {
			t.Fatal(err)
		}
		defer f.Value.Set(before)
	}
	list, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range list {
		if src.Name == "kernels" || src.Name == "idioms" {
			continue // the others have what is special in them
		}
		c := loadSource(t, src) // the flag is asked while the package is summarized
		found, err := c.Findings(corpus.Config{Detectors: passes.All()})
		if err != nil {
			t.Fatal(err)
		}
		told := make(map[string]int)
		anchored := make(map[string]int)
		rests := 0
		for _, f := range found {
			if f.Category == summary.OutsideCategory {
				told[f.Package+f.File]++
				continue
			}
			a := anchorsOf(t, f)
			if a == nil {
				continue
			}
			anchored[f.Analyzer]++
			if len(a.Rests) > 0 {
				rests++
			}
			for _, at := range []anchor.Place{a.Check.Place, a.Act.Place} {
				if a.Unit == "" || at.Line == 0 || filepath.Base(at.File) != filepath.Base(f.File) {
					t.Errorf("%s: %s, at %+v", f.Entry(), a.Unit, at)
				}
			}
			for _, r := range a.Rivals {
				if r.Func == "" || r.Kind != a.Interference || r.Access.Line == 0 {
					t.Errorf("%s: rival %+v", f.Entry(), r)
				}
			}
		}
		for file, n := range told {
			if n != 1 {
				t.Errorf("%s tells of its calls %d times", file, n)
			}
		}
		t.Logf("%s: anchors %v, %d of them rest on callers, %d packages tell of their calls", src.Name, anchored, rests, len(told))
	}
}

// anchorsOf returns the anchors of a finding, nil for none.
func anchorsOf(t *testing.T, f corpus.Finding) *anchor.Anchors {
	t.Helper()
	for _, m := range f.Related {
		text, ok := strings.CutPrefix(m, anchor.Prefix)
		if !ok {
			continue
		}
		var a anchor.Anchors
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatalf("%s: %v", f.Entry(), err)
		}
		return &a
	}
	return nil
}
