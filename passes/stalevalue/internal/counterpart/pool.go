package counterpart

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A GivenBack is a call that gives an object back to a sync.Pool, by itself or in a callee.
//
//	func release(b *buffer) { b.reset(); pool.Put(b) }
type GivenBack struct {
	At     ssa.CallInstruction
	Object ssa.Value
}

// GivenBack returns what f gives back to a pool.
func (p *Finder) GivenBack(f *process.Func) []GivenBack {
	var out []GivenBack
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok {
				if object := p.givenTo(call, 0); object != nil {
					out = append(out, GivenBack{call, object})
				}
			}
		}
	}
	return out
}

// givenTo returns the argument of a call that is given back to a pool, or nil.
func (p *Finder) givenTo(call ssa.CallInstruction, depth int) ssa.Value {
	fn := call.Common().StaticCallee()
	if _, spawned := call.(*ssa.Go); fn == nil || spawned {
		return nil
	}
	if recv := fn.Signature.Recv(); recv != nil && fn.Name() == "Put" && len(call.Common().Args) == 2 {
		if pool := ssautil.Named(recv.Type()); pool != nil && pool.Obj().Pkg() != nil && pool.Obj().Pkg().Path() == "sync" && pool.Obj().Name() == "Pool" {
			return unwrapped(call.Common().Args[1])
		}
	}
	if i := p.givesBack(fn, depth); i >= 0 && i < len(call.Common().Args) {
		return call.Common().Args[i]
	}
	return nil
}

// unwrapped returns the value that is in an interface, if it is put into it there.
func unwrapped(v ssa.Value) ssa.Value {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		return mi.X
	}
	return v
}

// givesBack returns the parameter that a function of the package gives back to a pool whatever happens, or -1.
func (p *Finder) givesBack(fn *ssa.Function, depth int) int {
	if p.ByFn[fn] == nil || depth == limit.NotifyDepth {
		return -1
	}
	if i, known := p.returning[fn]; known {
		return i
	}
	if p.returning == nil {
		p.returning = make(map[*ssa.Function]int)
	}
	p.returning[fn] = -1 // for recursion
	for _, b := range fn.Blocks {
		if !onAllWays(fn, b) {
			continue
		}
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if object := p.givenTo(call, depth+1); object != nil {
				if i := slices.IndexFunc(fn.Params, func(prm *ssa.Parameter) bool { return ssa.Value(prm) == object }); i >= 0 {
					p.returning[fn] = i
				}
			}
		}
	}
	return p.returning[fn]
}

// onAllWays reports whether control passes a block before each return.
func onAllWays(fn *ssa.Function, b *ssa.BasicBlock) bool {
	return !slices.ContainsFunc(ssautil.Returns(fn), func(ret *ssa.Return) bool { return !b.Dominates(ret.Block()) })
}
