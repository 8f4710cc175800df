package counterpart

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A goroutine that receives answers looks for the one who waits for each, by the number in the answer, and
// drops an answer for which nobody waits:
//
//	if w, ok := c.waiting[f.ID]; ok {
//		w <- f
//	}

// Settles returns a function that finds elements of a table by a key and sends to them, or closes them.
func (p *Finder) Settles(table accesspath.Location) (fact.Writer, bool) {
	if p.settlers == nil {
		p.settlers, p.signalled = make(map[accesspath.Location]fact.Writer), make(map[signalQuestion]bool)
		for f := range p.Sharing() {
			p.findSettlers(f)
		}
	}
	w, ok := p.settlers[table]
	return w, ok
}

func (p *Finder) findSettlers(f *process.Func) {
	for _, e := range f.Events {
		if _, known := p.settlers[e.Loc]; known || !e.Reads() || e.Key == "" || e.Key.HasAny() {
			continue
		}
		if p.signalsOf(f, e.Values, limit.SettleDepth) {
			p.settlers[e.Loc] = withLocks(f, e)
		}
	}
}

// signalsOf reports whether f sends to a channel that depends on one of the values, or closes it, itself or in a callee that is given it, or in
// a function literal.
func (p *Finder) signalsOf(f *process.Func, of []ssa.Value, depth int) bool {
	depends := func(v ssa.Value) bool { return f.Slice(v).HasAny(of) }
	if len(of) == 0 || f.Res == nil { // f has no summary
		return false
	}
	if slices.ContainsFunc(signals(f.Fn), depends) {
		return true
	}
	return depth > 0 && ssautil.AnyInstr(f.Fn, func(instr ssa.Instruction) bool {
		switch instr := instr.(type) {
		case *ssa.Call:
			if fn := instr.Call.StaticCallee(); fn != nil {
				return p.signalsGiven(fn, values(fn.Params), instr.Call.Args, depends, depth)
			}
		case *ssa.MakeClosure:
			fn := instr.Fn.(*ssa.Function)
			return p.signalsGiven(fn, values(fn.FreeVars), instr.Bindings, depends, depth)
		}
		return false
	})
}

// signalsGiven is signalsOf for what a function is given, as parameters or captured variables.
func (p *Finder) signalsGiven(fn *ssa.Function, names, given []ssa.Value, depends func(ssa.Value) bool, depth int) bool {
	node := p.ByFn[ssautil.Generic(fn)]
	if node == nil {
		return false
	}
	for i, v := range given {
		if i < len(names) && depends(v) && p.signalsName(p.Of(node), names[i], depth-1) {
			return true
		}
	}
	return false
}

// signalsName is signalsOf for one parameter or captured variable.
func (p *Finder) signalsName(f *process.Func, of ssa.Value, depth int) bool {
	q := signalQuestion{of, depth}
	known, ok := p.signalled[q]
	if !ok {
		known = p.signalsOf(f, []ssa.Value{of}, depth)
		p.signalled[q] = known
	}
	return known
}

func values[V ssa.Value](list []V) []ssa.Value {
	out := make([]ssa.Value, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

// signals returns the channels that a function sends to or closes.
func signals(fn *ssa.Function) []ssa.Value {
	var out []ssa.Value
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Send:
				out = append(out, instr.Chan)
			case *ssa.Select:
				for _, st := range instr.States {
					if st.Send != nil {
						out = append(out, st.Chan)
					}
				}
			case *ssa.Call:
				if ssautil.Builtin(&instr.Call) == "close" {
					out = append(out, instr.Call.Args[0])
				}
			}
		}
	}
	return out
}
