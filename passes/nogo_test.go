package passes_test

import (
	"slices"
	"testing"

	"github.com/atomvet/atomvet/passes"
	"github.com/atomvet/atomvet/passes/corpus"
)

// nogoShare is the share of the reports, as one in so many, that may depend on facts of the
// standard library. What its containers, readers and writers do to their arguments is in those.
const nogoShare = 20

// TestNogo: nogo of Bazel gives an analyzer no facts of the standard library, no ReadFile and no
// Module. The analyzers do not fail, and nearly all that they report is the same.
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
	same, differ := 0, 0
	for _, name := range []string{"kernels", "idioms"} {
		i := slices.IndexFunc(list, func(s corpus.Source) bool { return s.Name == name })
		c, err := nogo.Load(list[i])
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Broken) > 0 {
			t.Error(c.Broken)
		}
		want, got := reports(t, load(t, name), "high"), reports(t, c, "high")
		for _, r := range want {
			if slices.Contains(got, r) {
				same++
				continue
			}
			differ++
			t.Logf("%s:%d: not reported without the facts of the standard library: %s", r.File, r.Line, r.Message)
		}
		for _, r := range got {
			if !slices.Contains(want, r) {
				differ++
				t.Logf("%s:%d: only reported without the facts of the standard library: %s", r.File, r.Line, r.Message)
			}
		}
	}
	if same == 0 || differ*nogoShare > same {
		t.Errorf("%d reports are the same, %d depend on facts of the standard library", same, differ)
	}
}
