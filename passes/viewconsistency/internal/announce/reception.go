package announce

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A Reception is where a function learns of a signal: it waits until the signal has come, or
// tests whether it has.
type Reception struct {
	Kind Kind // of the signal, Closes for a channel that is received from
	// At has the instruction, the location that carries the signal, and the locks that are
	// held. For a test it is an access of the function.
	At *funcsum.Event
	// Values are the values that come with the signal: what was received, or found.
	Values []ssa.Value
	// choice is the case of a select statement, -1 for others.
	choice int
	// may is set if the function may go on without having learned of the signal, though it has
	// waited for it: other cases of the select statement, or other paths of the callee.
	may bool
	// facts has what the function learns of Values from branches, by the instruction that these
	// lead to.
	facts map[ssa.Instruction][]branch.Fact
}

// A Receiver is a reception with its function.
type Receiver struct {
	Fn *process.Func
	Reception
}

// receiversOf returns the receptions, in the functions that run on published objects, of the
// signals that a location carries.
func (p *Finder) receiversOf(l accesspath.Location) []*Receiver {
	if p.receivers == nil {
		p.receivers = make(map[accesspath.Location][]*Receiver)
		for f := range p.Sharing() {
			for _, r := range p.Receptions(f) {
				p.receivers[r.At.Loc] = append(p.receivers[r.At.Loc], &Receiver{f, r})
			}
		}
	}
	return p.receivers[l]
}

// Receptions returns the receptions of f.
func (p *Finder) Receptions(f *process.Func) []Reception {
	if known, ok := p.received[f]; ok {
		return known
	}
	out := slices.Clone(p.waits(f, 0))
	for _, e := range f.Events {
		switch {
		case !e.Reads() || len(e.Values) == 0 || e.Base == accesspath.Unknown || funcsum.IsSignalFlag(e.Loc) && !e.AsksContext():
		case e.AsksContext():
			out = append(out, Reception{Kind: Closes, At: e, Values: e.Values, choice: -1})
		case e.Key != "" || isContainer(e):
			out = append(out, Reception{Kind: Inserts, At: e, Values: e.Values, choice: -1})
		default:
			out = append(out, Reception{Kind: Sets, At: e, Values: e.Values, choice: -1})
		}
	}
	p.received[f] = out
	return out
}

// isContainer reports whether an access reads a container as a whole.
func isContainer(e *funcsum.Event) bool {
	return slices.ContainsFunc(e.Values, func(v ssa.Value) bool {
		switch v.Type().Underlying().(type) {
		case *types.Map, *types.Slice:
			return true
		}
		return false
	})
}

// waits returns the receptions of f on channels, contexts, condition variables and groups.
func (p *Finder) waits(f *process.Func, depth int) []Reception {
	k := key{f, depth}
	if known, ok := p.receptions[k]; ok {
		return known
	}
	p.receptions[k] = nil // for recursion
	var out []Reception
	p.walk(f, func(instr ssa.Instruction, at funcsum.Event) {
		at.Op = fact.Read
		out = append(out, p.waitsAt(f, instr, at, depth)...)
	})
	p.receptions[k] = out
	return out
}

func (p *Finder) waitsAt(f *process.Func, instr ssa.Instruction, at funcsum.Event, depth int) []Reception {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			return p.fromChannel(f, instr.X, at, results(instr, 0), -1)
		}
	case *ssa.Select:
		var out []Reception
		received := 2 // the results are the case, a flag, and what was received
		for i, st := range instr.States {
			if st.Dir == types.RecvOnly {
				out = append(out, p.fromChannel(f, st.Chan, at, results(instr, received), i)...)
				received++
			}
		}
		return out
	case *ssa.Call:
		return p.waitsOfCall(f, instr, at, depth)
	}
	return nil
}

// results returns the value of an instruction, or those that have component i of its tuple.
func results(v ssa.Value, i int) []ssa.Value {
	if _, tuple := v.Type().(*types.Tuple); !tuple {
		return []ssa.Value{v}
	}
	var out []ssa.Value
	for _, use := range ssautil.Uses(v) {
		if e, ok := use.(*ssa.Extract); ok && e.Index == i {
			out = append(out, e)
		}
	}
	return out
}

// fromChannel returns the reception of a receive from a channel, or from that of a context.
func (p *Finder) fromChannel(f *process.Func, ch ssa.Value, at funcsum.Event, values []ssa.Value, choice int) []Reception {
	if call, ok := ch.(*ssa.Call); ok {
		if ref, ok := funcsum.DoneOf(f.Body, &call.Call); ok {
			at.Ref = ref
			return []Reception{{Kind: Closes, At: &at, choice: choice}}
		}
	}
	ref, ok := p.channel(f, ch)
	if !ok {
		return nil
	}
	at.Ref = ref
	return []Reception{{Kind: Closes, At: &at, Values: values, choice: choice}}
}

// waitsOfCall returns the receptions of a call. Those of a callee count if it does not return
// without.
func (p *Finder) waitsOfCall(f *process.Func, call *ssa.Call, at funcsum.Event, depth int) []Reception {
	var out []Reception
	for _, c := range p.Callees(f.Body, &call.Call) {
		switch {
		case c.Obj != nil && stdlib.Declares(c.Obj).Listed && len(c.Args) > 0:
			known := stdlib.OfFunc(c.Obj)
			kind := Leaves
			if known.WaitsFor != "" {
				kind = Wakes
			} else if !known.Awaits {
				continue
			}
			if ref := f.Res.Resolve(c.Args[0]); ref.Loc != "" && ref.Base != accesspath.Unknown {
				own := at
				own.Ref = ref
				out = append(out, Reception{Kind: kind, At: &own, choice: -1})
			}
		case !p.follows(f, c, depth):
		default:
			g := p.Of(c.Fn)
			for _, r := range p.waits(g, depth+1) {
				own := at
				own.Ref = r.At.Ref
				own.Base, own.Path = p.Translate(f.Body, c, r.At.Base), p.Translate(f.Body, c, r.At.Path)
				if own.Base != accesspath.Unknown {
					out = append(out, Reception{Kind: r.Kind, At: &own, choice: -1, may: r.may || r.choice >= 0 || !alwaysPasses(g, r.At.Instr)})
				}
			}
		}
	}
	return out
}

// alwaysPasses reports whether f does not return without executing an instruction.
func alwaysPasses(f *process.Func, at ssa.Instruction) bool {
	return !slices.ContainsFunc(ssautil.Returns(f.Fn), func(r *ssa.Return) bool { return !at.Block().Dominates(r.Block()) })
}

// MayWake reports whether f may come to an instruction when it is woken by the signal, among
// others that it waits for.
func (r *Reception) MayWake(f *process.Func, to ssa.Instruction) bool {
	return r.isWait() && f.Order().Flows(r.At.Instr, to)
}

// Blocks reports whether the function waits there for the signal, and for nothing else.
func (r *Reception) Blocks() bool {
	return r.isWait() && r.choice < 0 && !r.may
}

// Carries reports whether the reception is one of the signals of a kind.
func (r *Reception) Carries(k Kind) bool {
	return r.Kind == k || r.Kind == Closes && k == Sends || r.Kind == Sets && k == Leads
}

// Leads reports whether f comes to an instruction only because it has learned of the signal s.
func (r *Reception) Leads(f *process.Func, to ssa.Instruction, s *Signal) bool {
	switch {
	case !r.isWait():
		return r.tests(f, to, s)
	case s.Kind == Closes && r.takesElement(f, to):
		return false
	case r.choice >= 0:
		return r.chooses(f, to)
	case r.may:
		return false
	case r.Kind == Wakes:
		return f.Order().Flows(r.At.Instr, to)
	}
	if !f.Order().Flows(r.At.Instr, to) || !dominates(r.At.Instr, to) {
		return false
	}
	return s.Kind != Sends || !r.onlyIf(f, to, false)
}

// LeadsTo reports whether f makes a read because of the signal s: by control, see Leads; or the key of the read is computed
// from the value that the signal has stored, or has been compared with it as a bound.
func (r *Reception) LeadsTo(f *process.Func, read *funcsum.Event, s *Signal) bool {
	if s.Kind == Leads {
		return r.names(f, read) || r.bounds(f, read)
	}
	return r.Leads(f, read.Instr, s)
}

// mayDecide reports whether f executes an instruction only after the reception, if that is a wait, or control dependent
// on a test of the signal, or makes a read of an element whose key has been received.
func (r *Reception) mayDecide(f *process.Func, read *funcsum.Event) bool {
	return r.isWait() || len(r.learned(f, read.Instr)) > 0 || r.Kind == Sets && read.Key != "" && (r.names(f, read) || r.bounds(f, read))
}

// names reports whether the key of a read is computed from what was received.
func (r *Reception) names(f *process.Func, read *funcsum.Event) bool {
	return read.Instr != r.At.Instr && f.Uses(read.Instr, r.Values)
}

// bounds reports whether the key of a read has been compared with what was received.
//
//	if next < r.head.Load() { return r.slots[next].Load() }
func (r *Reception) bounds(f *process.Func, read *funcsum.Event) bool {
	return slices.ContainsFunc(f.Branches(read), func(br *ssa.If) bool {
		x, ok := br.Cond.(*ssa.BinOp)
		if !ok || !f.Order().Flows(r.At.Instr, br) {
			return false
		}
		switch x.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			return f.Slice(x.Y).HasAny(r.Values) && isPartOfKey(f, x.X, read) || f.Slice(x.X).HasAny(r.Values) && isPartOfKey(f, x.Y, read)
		}
		return false
	})
}

// isPartOfKey reports whether the key of a read is computed from v.
func isPartOfKey(f *process.Func, v ssa.Value, read *funcsum.Event) bool {
	if _, constant := v.(*ssa.Const); constant {
		return false
	}
	if f.Uses(read.Instr, []ssa.Value{v}) {
		return true
	}
	part := f.Res.Key(v).Path()
	return part != accesspath.Unknown && read.Key.Path().Within(part)
}

// isWait reports whether the reception waits for the signal, in contrast to a test for it.
func (r *Reception) isWait() bool {
	return r.Kind != Sets && r.Kind != Inserts && !r.At.AsksContext()
}

// dominates reports whether every path to an instruction passes another one.
func dominates(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		return ssautil.Ordinal(a) < ssautil.Ordinal(b)
	}
	return a.Block().Dominates(b.Block())
}

// takesElement reports whether f comes to an instruction with what was sent to the channel, and
// not because it was closed.
func (r *Reception) takesElement(f *process.Func, to ssa.Instruction) bool {
	if r.onlyIf(f, to, true) {
		return true
	}
	return slices.ContainsFunc(r.Values, func(v ssa.Value) bool { return len(ssautil.Uses(v)) > 0 && !ssautil.IsEmptyStruct(v.Type()) })
}

// onlyIf reports whether f comes to an instruction only if the receive has got an element, or only if
// the channel has been closed.
//
//	for j := range s.jobs { … } // got
//	s.finish()                  // closed
func (r *Reception) onlyIf(f *process.Func, to ssa.Instruction, got bool) bool {
	recv, ok := r.At.Instr.(*ssa.UnOp)
	if !ok || !recv.CommaOk {
		return false
	}
	flags := results(recv, 1)
	for br := range f.BranchesOn(flags) {
		side := branch.Side(br.Cond, func(x branch.Fact) bool {
			return slices.Contains(flags, x.Subject) && (got && x.True() || !got && x.False())
		})
		if side >= 0 && f.OnlySide(br, to) == side {
			return true
		}
	}
	return false
}

// chooses reports whether f comes to an instruction only by the case of a select statement.
func (r *Reception) chooses(f *process.Func, to ssa.Instruction) bool {
	sel := r.At.Instr.(*ssa.Select)
	if len(sel.States) == 1 && sel.Blocking {
		return dominates(sel, to)
	}
	chosen := results(sel, 0)
	for br := range f.BranchesOn(chosen) {
		side := branch.Side(br.Cond, func(x branch.Fact) bool {
			if !slices.Contains(chosen, x.Subject) || x.Relation != branch.Equal || x.Const == nil {
				return false
			}
			return x.Const.ExactString() == strconv.Itoa(r.choice)
		})
		if side >= 0 && f.OnlySide(br, to) == side {
			return true
		}
	}
	return false
}

// tests reports whether a branch on what was read leads to an instruction by the value that the
// signal leaves, and not by the one before.
func (r *Reception) tests(f *process.Func, to ssa.Instruction, s *Signal) bool {
	return slices.ContainsFunc(r.learned(f, to), s.satisfies)
}

// learned returns what branches on what was read tell about it, at an instruction that one of
// their sides leads to.
func (r *Reception) learned(f *process.Func, to ssa.Instruction) []branch.Fact {
	if known, ok := r.facts[to]; ok {
		return known
	}
	var out []branch.Fact
	if f.Order().Flows(r.At.Instr, to) {
		for _, br := range f.Branches(&funcsum.Event{Instr: to}) {
			side := f.OnlySide(br, to)
			if side < 0 || !f.Order().Flows(r.At.Instr, br) {
				continue
			}
			for x := range branch.Implied(br.Cond, side == 0) {
				if slices.Contains(r.Values, x.Subject) {
					out = append(out, r.found(f, x)...)
				}
			}
		}
	}
	if r.facts == nil {
		r.facts = make(map[ssa.Instruction][]branch.Fact)
	}
	r.facts[to] = out
	return out
}

// found returns the facts about the variable that follow from a fact about the value of a reception: if a callee reads the variable, those
// that hold at its returns.
//
//	if s.has(name) { … } // _, ok := s.names[name]; return ok
func (r *Reception) found(f *process.Func, is branch.Fact) []branch.Fact {
	if r.isWait() {
		return []branch.Fact{is}
	}
	return slices.Collect(f.Found(r.At, is))
}

// satisfies reports whether a fact holds of what the signal has written, and of what it had been
// before does not.
func (s *Signal) satisfies(x branch.Fact) bool {
	switch s.Kind {
	case Closes:
		return x.NonNil() // the error of a context
	case Inserts:
		return x.Present() || x.NonNil() || x.NonEmpty() || x.True() && s.At.Const == "true"
	}
	if x.Const == nil {
		return x.NonNil() && s.At.Const != "nil" || x.Nil() && s.At.Const == "nil"
	}
	equal := x.Const.ExactString() == s.At.Const
	return x.Relation == branch.Equal && equal || x.Relation == branch.Differs && !equal
}
