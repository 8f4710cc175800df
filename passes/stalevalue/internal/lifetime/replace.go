package lifetime

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An object that is replaced by another one and then closed: operations on it fail, though they
// would succeed on the one that has been there before, and on the one that is there now.
//
//	s.mu.Lock(); old := s.db; s.db = next; s.mu.Unlock()
//	old.Close()
//
// Where an object is removed and not put back, an operation that fails is what its caller has to expect;
// so it is where a method that closes the owner puts an object there that always fails.

// A Call is a call of a method of an object.
type Call struct {
	Method *types.Func
	// Instr is the call, or the instruction that calls, starts or defers the literal with the
	// call.
	Instr ssa.Instruction
	// in is the literal, if there is one.
	in *ssa.Function
}

// Calls returns the calls of methods of an object by its function, in order; those of literals
// that the function calls, defers or starts included.
func (o *Object) Calls() []Call {
	var out []Call
	for v := range o.hops {
		if v.Referrers() == nil {
			continue
		}
		for _, use := range ssautil.Uses(v) {
			switch use := use.(type) {
			case ssa.CallInstruction:
				if m := methodOn(use, v); m != nil {
					out = append(out, Call{Method: m, Instr: use})
				}
			case *ssa.MakeClosure:
				out = append(out, callsIn(use, v)...)
			}
		}
	}
	slices.SortFunc(out, func(a, b Call) int {
		return cmp.Or(ssautil.Ordinal(a.Instr)-ssautil.Ordinal(b.Instr), strings.Compare(a.Method.Name(), b.Method.Name()))
	})
	return out
}

// methodOn returns the method of v that an instruction calls, or nil.
func methodOn(c ssa.CallInstruction, v ssa.Value) *types.Func {
	common := c.Common()
	m := ssautil.Method(common)
	switch {
	case m == nil || m.Signature().Recv() == nil:
	case common.IsInvoke() && common.Value == v, !common.IsInvoke() && len(common.Args) > 0 && common.Args[0] == v:
		return m
	}
	return nil
}

// callsIn returns the calls of methods of the variable v in a literal that has captured it.
func callsIn(mc *ssa.MakeClosure, v ssa.Value) []Call {
	var out []Call
	fn := mc.Fn.(*ssa.Function)
	for i, b := range mc.Bindings {
		if b != v || i >= len(fn.FreeVars) {
			continue
		}
		for _, use := range *fn.FreeVars[i].Referrers() {
			l, ok := use.(*ssa.UnOp)
			if !ok {
				continue
			}
			for _, use := range *l.Referrers() {
				c, ok := use.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if m := methodOn(c, l); m != nil {
					out = append(out, Call{m, mc, fn})
				}
			}
		}
	}
	return out
}

// IsClosing reports whether a method ends its receiver, by its name: the contract of io.Closer,
// and what is called like that.
func IsClosing(m *types.Func) bool {
	switch m.Name() {
	case "Close", "Stop", "Shutdown", "Release", "Destroy":
		return true
	}
	return false
}

// replaces reports whether a write replaces an object by another one. What a callee writes to a variable of another package, or adds to one,
// is no object of the function.
func (p *Finder) replaces(w *funcsum.Event) bool {
	if w.Op&(fact.Delete|fact.Fixed) != 0 {
		return false
	}
	return len(w.Inputs) > 0 || w.Callee != nil && w.Const == "" && !w.Delta() && w.Loc.Pkg() == p.Pkg.Path()
}

// closesReplaced adds the ends of an object o that out replaces, by calls of methods.
func (p *Finder) closesReplaced(f *process.Func, out *funcsum.Event, o *Object) {
	if !p.replaces(out) || f.Declares(IsClosing) {
		return
	}
	for _, c := range o.Calls() {
		if !IsClosing(c.Method) || c.in != nil && slices.ContainsFunc(instrsOf(c.in), funcsum.GivesTime) {
			continue
		}
		p.add(f, out, End{
			Kind: Replaced, At: p.Pos(ssautil.Pos(c.Instr)), Closer: c.Method, Claims: p.RightTo(f, c.Instr).Claims,
			Waits: p.waits(f, out.Instr, c.Instr),
		})
	}
}

// instrsOf returns the instructions of a function.
func instrsOf(fn *ssa.Function) []ssa.Instruction {
	var out []ssa.Instruction
	for _, b := range fn.Blocks {
		out = append(out, b.Instrs...)
	}
	return out
}
