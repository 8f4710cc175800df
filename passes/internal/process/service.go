package process

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/cfgpath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"golang.org/x/tools/go/ssa"
)

// A service goroutine serves one object for all its life. A method starts it that is
// called once per object, and its arguments are the object and settings (context,
// interval), but no work item. A goroutine that has a work item as an argument runs once
// per item.
//
//	go s.run(ctx)      // service: one instance per object
//	go s.handle(conn)  // one instance per connection

// isService reports whether a call starts a service goroutine.
func (p *Processes) isService(s site) bool {
	objects := 0
	for _, v := range p.startedWith(s) {
		if !isSetting(v.Type()) {
			objects++
		}
	}
	return objects == 1 && p.waitsInLoop(p.Funcs[s.call.Callee], 2)
}

// startedWith returns the arguments of the function that a call starts, and the bindings
// of a literal or a method value.
func (p *Processes) startedWith(s site) []ssa.Value {
	common := s.call.Instr.Common()
	if _, isGo := s.call.Instr.(*ssa.Go); isGo {
		if mc, ok := common.Value.(*ssa.MakeClosure); ok {
			return slices.Concat(mc.Bindings, common.Args)
		}
		return common.Args
	}
	if mc := p.closureArgument(s); mc != nil {
		return mc.Bindings
	}
	return nil
}

// closureArgument returns the closure of the started function that is an argument of the
// call, as in wg.Go(s.run).
func (p *Processes) closureArgument(s site) *ssa.MakeClosure {
	for _, a := range s.call.Instr.Common().Args {
		fn, mc, _ := p.FuncValue(s.caller.Node, a)
		if callee := p.Funcs[s.call.Callee]; mc != nil && (fn == callee.Fn || p.isMethodValue(fn, mc, callee)) {
			return mc
		}
	}
	return nil
}

// isSetting reports whether a value of type t determines when or how often work is done,
// and not what work: a context, a duration, a channel of ticks or of the end, the group
// that waits for the goroutine.
func isSetting(t types.Type) bool {
	seen := make(map[types.Type]bool) // type T chan T
	for ch, ok := t.Underlying().(*types.Chan); ok && !seen[t]; ch, ok = t.Underlying().(*types.Chan) {
		seen[t] = true
		if t = ch.Elem(); ssautil.IsEmptyStruct(t) {
			return true
		}
	}
	named, ok := types.Unalias(ssautil.Deref(t)).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	return stdlib.OfPackage(named.Obj().Pkg().Path()).Settings
}

// serves reports whether a method is the service loop of an object, to be started by the
// package's users: Run(ctx) receives from channels of the object in a loop. A method that
// waits for one value, and returns whether it arrived, may have many callers; one of which each
// return has an error that is not nil is a service loop, which ends only when it fails.
func serves(fn *ssa.Function) bool {
	sig := fn.Signature
	if sig.Recv() == nil || len(fn.Blocks) == 0 || sig.Results().Len() > 1 || sig.Results().Len() == 1 && !ssautil.IsError(sig.Results().At(0).Type()) {
		return false
	}
	for _, prm := range fn.Params[1:] {
		if !isSetting(prm.Type()) {
			return false
		}
	}
	n := received(fn)
	return n > sig.Results().Len() || n > 0 && !succeeds(fn)
}

// succeeds reports whether a function returns nil as its error.
func succeeds(fn *ssa.Function) bool {
	return slices.ContainsFunc(ssautil.Returns(fn), func(r *ssa.Return) bool {
		c, ok := ssautil.Returned(r, 0).(*ssa.Const)
		return ok && c.IsNil()
	})
}

// received counts the channels that a function receives from in a loop, apart from those
// that a call returns, such as ctx.Done().
func received(fn *ssa.Function) int {
	n, paths := 0, cfgpath.New(fn)
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			sel, ok := instr.(*ssa.Select)
			if !ok || !paths.Reaches(instr, instr) {
				continue
			}
			for _, st := range sel.States {
				if _, call := st.Chan.(*ssa.Call); st.Dir == types.RecvOnly && !call {
					n++
				}
			}
		}
	}
	return n
}

// waitsInLoop reports whether a function, or one of its callees up to the given depth,
// receives from a channel in a loop.
func (p *Processes) waitsInLoop(f *Func, depth int) bool {
	return p.receives[f.ID] || depth > 0 && slices.ContainsFunc(f.Calls, func(c callgraph.Call) bool {
		return c.Kind == fact.Called && c.Instr != nil && p.waitsInLoop(p.Funcs[c.Callee], depth-1)
	})
}

// receivesInLoop reports whether a function itself receives from a channel in a loop.
func receivesInLoop(f *Func) bool {
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Select:
			case *ssa.UnOp:
				if instr.Op != token.ARROW {
					continue
				}
			default:
				continue
			}
			if f.Paths().Reaches(instr, instr) {
				return true
			}
		}
	}
	return false
}
