package passes_test

import (
	"slices"
	"testing"

	"github.com/atomvet/atomvet/passes"
	"github.com/atomvet/atomvet/passes/corpus"
)

// TestNogo: nogo of Bazel gives an analyzer no facts of the standard library, no ReadFile and no
// Module. What is reported does not depend on these.
func TestNogo(t *testing.T) {
	nogo, err := corpus.NewLoader(passes.All()...)
	if err != nil {
		t.Fatal(err)
	}
	nogo.Nogo = true
	list, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kernels", "idioms"} {
		i := slices.IndexFunc(list, func(s corpus.Source) bool { return s.Name == name })
		c, err := nogo.Load(list[i])
		if err != nil {
			t.Fatal(err)
		}
		want, got := reports(t, load(t, name), "high"), reports(t, c, "high")
		if len(want) == 0 {
			t.Errorf("%s: nothing is reported", name)
		}
		for _, r := range want {
			if !slices.Contains(got, r) {
				t.Errorf("%s:%d: not reported without the facts of the standard library: %s", r.File, r.Line, r.Message)
			}
		}
		for _, r := range got {
			if !slices.Contains(want, r) {
				t.Errorf("%s:%d: only reported without the facts of the standard library: %s", r.File, r.Line, r.Message)
			}
		}
	}
}
