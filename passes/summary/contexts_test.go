package summary

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis/passes/buildssa"
)

// TestContextsOrder: the contexts of a function, and what the package tells of its calls, do not
// depend on the order in which the functions of the package are analyzed, as they are fixpoints.
func TestContextsOrder(t *testing.T) {
	p := newProgram()
	for _, path := range []string{"contexts", "store", "own", "closures", "recursion", "once", "wrapper"} {
		pass := p.load(t, path)
		prog := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA)
		var want map[string]string
		for seed := range uint64(30) {
			r := rand.New(rand.NewPCG(seed, 1))
			r.Shuffle(len(prog.SrcFuncs), func(i, j int) {
				prog.SrcFuncs[i], prog.SrcFuncs[j] = prog.SrcFuncs[j], prog.SrcFuncs[i]
			})
			result, err := run(pass)
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[string]string)
			for _, f := range result.(*Package).Funcs {
				got[Name(f.Fn)] = contextsText(result.(*Package).Processes(), f)
			}
			got["outside"] = result.(*Package).views.Outside(scopeOf(pass)).Encode()
			if want == nil {
				want = got
			}
			for _, name := range slices.Sorted(maps.Keys(want)) {
				if got[name] != want[name] {
					t.Errorf("%s, order %d: %s, before %s", path, seed, got[name], want[name])
				}
			}
		}
	}
}
