package viewconsistency

import (
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/summary"
)

// A started is a goroutine that an instruction of a function starts.
type started struct {
	start ssa.CallInstruction
	// calls lead from the start to the goroutine, the last of them is the go statement; by are the functions that they call.
	calls []ssa.CallInstruction
	by    []summary.Callee
	// group is the path of the sync.WaitGroup that starts the goroutine, where it does, or Unknown.
	group accesspath.Path
}

// runs returns the function of the goroutine.
func (s started) runs() *summary.Callee { return &s.by[len(s.by)-1] }

// translate rewrites a path of the goroutine in the terms of the function.
func (s started) translate(path accesspath.Path) accesspath.Path {
	for _, c := range slices.Backward(s.by) {
		path = c.Translate(path)
	}
	return path
}

// translateKey rewrites a key of the goroutine in the terms of the function.
func (s started) translateKey(key accesspath.Key) accesspath.Key {
	for _, c := range slices.Backward(s.by) {
		key = c.TranslateKey(key)
	}
	return key
}

// spawned yields the goroutines of functions of the package that the function starts, by itself or by a callee.
func (d *detector) spawned() iter.Seq[started] {
	return func(yield func(started) bool) {
		for _, call := range d.f.Calls {
			if call.Instr != nil && !d.spawnedAt(call.Instr, d.f, started{start: call.Instr}, yield) {
				return
			}
		}
	}
}

// spawnedAt yields the goroutines that are started by a call of f, to which the calls of s lead.
func (d *detector) spawnedAt(at ssa.CallInstruction, f *summary.Func, s started, yield func(started) bool) bool {
	_, isGo := at.(*ssa.Go)
	for _, st := range d.pkg.Steps(f)[at] {
		for _, c := range st.Callees {
			if c.Func == nil {
				continue
			}
			to := started{s.start, append(slices.Clip(s.calls), at), append(slices.Clip(s.by), c), st.Path}
			switch {
			case st.Kind == summary.SpawnStep && (isGo || funcsum.OfLibrary(at.Common()).Group):
				if !yield(to) {
					return false
				}
			case st.Kind == summary.CallStep && len(st.Callees) == 1 && len(to.by) <= limit.StartDepth && c.Func.Sum != nil && c.Func.Sum.Spawns:
				g := d.pkg.Of(c)
				for _, call := range g.Calls {
					if call.Instr != nil && !d.spawnedAt(call.Instr, g, to, yield) {
						return false
					}
				}
			}
		}
	}
	return true
}
