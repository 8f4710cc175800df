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

// An object that works by itself has a goroutine that serves it for all its life: go
// s.run(ctx). It is started by a method that makes no sense twice, and has nothing to
// go by but the object, and how long and how often to do so. One that is started for
// something, go s.handle(conn), has that as an argument, and there are as many as there
// is to do.

// isService reports whether a call starts the goroutine of an object.
func (p *Processes) isService(s site) bool {
	objects := 0
	for _, v := range p.startedWith(s) {
		if !isSetting(v.Type()) {
			objects++
		}
	}
	return objects == 1 && p.waitsInLoop(p.Funcs[s.call.Callee], 2)
}

// startedWith returns what the function that a call starts is given: its arguments, or
// what a literal or a method value is bound to.
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

// closureArgument returns the closure of the started function that is an argument of
// the call, as in wg.Go(s.run).
func (p *Processes) closureArgument(s site) *ssa.MakeClosure {
	for _, a := range s.call.Instr.Common().Args {
		if fn, mc, _ := p.FuncValue(s.caller.Node, a); mc != nil && fn == p.Funcs[s.call.Callee].Fn {
			return mc
		}
	}
	return nil
}

// isSetting reports whether a value of type t says how long or how often something is
// done, and not what: a context, a duration, a channel of ticks or of the end, and the
// group that waits for it.
func isSetting(t types.Type) bool {
	if ch, ok := t.Underlying().(*types.Chan); ok {
		st, empty := ch.Elem().Underlying().(*types.Struct)
		return empty && st.NumFields() == 0 || isSetting(ch.Elem())
	}
	named, ok := types.Unalias(ssautil.Deref(t)).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	return stdlib.OfPackage(named.Obj().Pkg().Path()).Settings
}

// serves reports whether a method is the loop that serves an object, for others to start
// it: Run(ctx) receives again and again from what the object has. One that waits for one
// thing, and returns whether it has come, may be called by many.
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
	return received(fn) > sig.Results().Len()
}

// received counts the channels that a function receives from again and again, but for
// those that a call returns: ctx.Done().
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

// waitsInLoop reports whether a function, or one that it calls, receives from a channel
// again and again.
func (p *Processes) waitsInLoop(f *Func, depth int) bool {
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
	return depth > 0 && slices.ContainsFunc(f.Calls, func(c callgraph.Call) bool {
		return c.Kind == fact.Called && c.Instr != nil && p.waitsInLoop(p.Funcs[c.Callee], depth-1)
	})
}
