package counterpart

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// GivenBack returns what f gives back to a pool.
func (p *Finder) GivenBack(f *process.Func) []GivenBack {
	if p.givenBack == nil {
		p.findGivenBack()
	}
	return p.givenBack[f.Fn]
}

// findGivenBack finds what the functions of the package give back, and which of them give back a parameter on all paths, by
// themselves or in callees: the least fixpoint.
func (p *Finder) findGivenBack() {
	p.givenBack, p.returning = make(map[*ssa.Function][]GivenBack), make(map[*ssa.Function]int)
	for changed := true; changed; {
		changed = false
		for _, f := range p.Funcs {
			back := p.givenBackBy(f.Fn)
			if len(back) == 0 {
				continue
			}
			p.givenBack[f.Fn] = back
			if _, known := p.returning[f.Fn]; known {
				continue
			}
			for _, g := range back {
				i := slices.IndexFunc(f.Fn.Params, func(prm *ssa.Parameter) bool { return ssa.Value(prm) == g.Object })
				if i >= 0 && onAllPaths(f.Fn, g.At.Block()) {
					p.returning[f.Fn], changed = i, true
					break
				}
			}
		}
	}
}

// givenBackBy returns what the calls of a function give back, by themselves or in a callee of which it is known.
func (p *Finder) givenBackBy(fn *ssa.Function) []GivenBack {
	var out []GivenBack
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if object := p.givenTo(call); object != nil {
				out = append(out, GivenBack{call, object})
			}
		}
	}
	return out
}

// givenTo returns the argument of a call that is given back to a pool, or nil.
func (p *Finder) givenTo(call ssa.CallInstruction) ssa.Value {
	fn, args := ssautil.Target(call.Common()), call.Common().Args
	if _, spawned := call.(*ssa.Go); fn == nil || spawned {
		return nil
	}
	if isPut(fn) && len(args) == 2 {
		return ssautil.Unboxed(args[1])
	}
	if i, ok := p.returning[fn]; ok && i < len(args) {
		return args[i]
	}
	return nil
}

// isPut reports whether fn is the method Put of sync.Pool.
func isPut(fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	return recv != nil && fn.Name() == "Put" && ssautil.IsNamed(recv.Type(), "sync", "Pool")
}

// onAllPaths reports whether a block is on all paths to the returns of fn.
func onAllPaths(fn *ssa.Function, b *ssa.BasicBlock) bool {
	return !slices.ContainsFunc(ssautil.Returns(fn), func(ret *ssa.Return) bool { return !b.Dominates(ret.Block()) })
}
