package stalevalue

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"github.com/atomvet/atomvet/passes/summary"
)

// A value is drawn by chance if random numbers go into it: two runs of one computation yield two values, none of which
// stands for the other.
//
//	v := s.draw() // s.variants[rand.IntN(len(s.variants))]
//	b := make([]byte, 16); rand.Read(b); v := hex.EncodeToString(b)

// isDrawn reports whether what e puts into its place is drawn by chance. How long something is to last, or when it is to be done, is
// no part of what it is.
func (d *detector) isDrawn(e *summary.Event) bool {
	return len(e.Inputs) > 0 && d.draws(d.f, []ssa.Value{ssautil.Unboxed(e.Inputs[0])}, limit.DrawDepth)
}

// draws reports whether random numbers go into one of some values of f, by itself or in a callee.
func (d *detector) draws(f *summary.Func, values []ssa.Value, depth int) bool {
	return slices.ContainsFunc(values, func(v ssa.Value) bool {
		return slices.ContainsFunc(computedFrom(f, v), func(x ssa.Value) bool {
			if call, ok := x.(*ssa.Call); ok && d.drawsAt(call, depth) {
				return true
			}
			return slices.ContainsFunc(ssautil.Uses(x), func(use ssa.Instruction) bool { // rand.Read(x)
				call, ok := use.(*ssa.Call)
				return ok && isRandom(call) && slices.Contains(call.Call.Args, x) && !ssautil.IsPlain(x.Type())
			})
		})
	})
}

// computedFrom returns what v is computed from, also in a function that does not concern locks.
func computedFrom(f *summary.Func, v ssa.Value) depgraph.Slice {
	if f.Res != nil {
		return f.Slice(v)
	}
	control := depgraph.NewControl(f.Fn)
	return (&depgraph.Slicer{Control: func(*ssa.Function) *depgraph.Control { return control }}).Back(v)
}

// drawsAt reports whether random numbers go into the results of a call, or decide which results there are.
func (d *detector) drawsAt(call *ssa.Call, depth int) bool {
	if isTiming(call.Type()) {
		return false
	}
	if isRandom(call) {
		return true
	}
	fn := ssautil.Target(&call.Call)
	if fn == nil || depth == 0 {
		return false
	}
	g := d.pkg.FuncOf(fn)
	return g != nil && slices.ContainsFunc(ssautil.Returns(fn), func(ret *ssa.Return) bool {
		values := slices.Clone(ret.Results)
		for _, br := range g.Deciding(ret.Block()) {
			values = append(values, br.Cond)
		}
		return d.draws(g, values, depth-1)
	})
}

// isRandom reports whether a call is of a package of random numbers.
func isRandom(call *ssa.Call) bool {
	fn := call.Call.StaticCallee()
	if fn == nil {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	return ok && stdlib.Declares(obj).Random
}

// isTiming reports whether a type says when something is to be done.
func isTiming(t types.Type) bool {
	named := ssautil.Named(t)
	return named != nil && named.Obj().Pkg() != nil && stdlib.OfPackage(named.Obj().Pkg().Path()).Settings
}
