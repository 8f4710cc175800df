package viewconsistency

import (
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A variable that is read twice in one operation may yield two answers. That is wrong if both are
// taken for one: the operation begins something by the first answer, and goes on with it, or ends
// it, by the second.
//
//	if s.leading() { s.slots <- token }
//	s.apply(item)
//	if s.leading() { <-s.slots } // WRONG: an election in between leaks a slot, or blocks
//
// The value has to be read once. A second look that may leave the operation, or that comes after a
// write of its own, is meant to see what is there by then.

// readTwice returns the pairs of reads of one variable, in two sections of the function, whose answers
// are taken for one. A read is compared with the next ones only: what is begun is soon ended.
func (d *detector) readTwice(p *partition) []pair {
	var out []pair
	for _, l := range p.locs {
		list := p.accesses[l]
		for i, one := range list {
			for _, two := range list[i+1 : min(len(list), i+1+limit.ComparedAccesses)] {
				if sameVariable(one, two) && one.event.Ord < two.event.Ord && !one.event.Key.HasAny() && d.takenForOne(one.event, two.event) {
					out = append(out, p.pair(one, two))
				}
			}
		}
	}
	return out
}

// takenForOne reports whether something that is begun by the first answer is continued by the second.
func (d *detector) takenForOne(first, second *summary.Event) bool {
	return !d.writesAfter(first) && (otherChannel(first, second) || d.decidesTwice(first, second) || d.twoSides(first, second) || d.indexes(first, second))
}

// indexes reports whether a position that was found by the first answer selects an element of a list in the second one,
// which may be another list.
//
//	i := r.table.Load().find(host)
//	return r.table.Load().pools[i] // WRONG: of another table
//
// The callee that makes the second read may do so:
//
//	rule := c.rule(flag)
//	return c.inSegment(rule.segment, user) // segments := c.rules.Load().segments; segments[segment]
func (d *detector) indexes(first, second *summary.Event) bool {
	if selects(d.f, first.Values, second.Values) {
		return true
	}
	for _, s := range d.pkg.Steps(d.f)[second.Instr] {
		for _, c := range s.Callees {
			if s.Kind == summary.CallStep && c.Func != nil && d.selectsIn(c, first, second) {
				return true
			}
		}
	}
	return false
}

// selectsIn reports whether a callee selects an element of a list in the second answer, which it reads, by a parameter that is computed from the
// first one. To compare a length with the list revalidates it. Of a position that was found there, or that is a part of what was found, the
// comparison only says that there is such an element. If the variable is the list itself, the position is a stale index, which another detector reports.
func (d *detector) selectsIn(c summary.Callee, first, second *summary.Event) bool {
	g, args := d.pkg.Of(c), c.Args()
	if len(g.Fn.Params) != len(args) {
		return false
	}
	var answer []ssa.Value
	for _, e := range g.Events {
		if e.Loc == second.Loc && e.Reads() {
			answer = append(answer, slices.DeleteFunc(slices.Clone(e.Values), isContainer)...)
		}
	}
	for i, prm := range g.Fn.Params {
		if ssautil.IsNumber(prm.Type()) && d.f.Slice(args[i]).HasAny(first.Values) && selects(g, []ssa.Value{prm}, answer) &&
			!(slices.ContainsFunc(first.Values, isCount) && compares(g, prm, answer)) {
			return true
		}
	}
	return false
}

func isContainer(v ssa.Value) bool { return depgraph.IsContainer(v.Type()) }

// isCount reports whether v is a number, and no position that was found.
func isCount(v ssa.Value) bool { return ssautil.IsNumber(v.Type()) && !depgraph.IsSearch(v) }

// compares reports whether a condition depends on a parameter and on what was read.
func compares(g *summary.Func, prm *ssa.Parameter, values []ssa.Value) bool {
	for br := range g.BranchesOn([]ssa.Value{prm}) {
		if g.Slice(br.Cond).HasAny(values) {
			return true
		}
	}
	return false
}

// selects reports whether an element of a list in one value is selected by a position that is computed from another one, and not from the first.
func selects(f *summary.Func, position, list []ssa.Value) bool {
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			at, ok := instr.(*ssa.IndexAddr)
			if ok && f.Slice(at.X).HasAny(list) && f.Slice(at.Index).HasAny(position) && !f.Slice(at.Index).HasAny(list) {
				return true
			}
		}
	}
	return false
}

// twoSides reports whether two getters return different properties of the variable, and the caller
// stores both results, unchanged, in one object or returns both. Two getters with the same read return
// the same property, and a callee that is given the first answer can compare it with the second.
//
//	return Position{Index: l.LastIndex(), Term: l.LastTerm()} // WRONG: of two different last entries
func (d *detector) twoSides(first, second *summary.Event) bool {
	if first.Callee == nil || second.Callee == nil || first.Pos.Text == second.Pos.Text || d.isGiven(second, first) {
		return false
	}
	into := whole(first)
	return into != nil && into == whole(second)
}

// isGiven reports whether an argument of the call that makes the second read comes of the first.
//
//	term := n.leading()
//	index, err := n.push(term, data) // if n.term != term { return errNotLeader }
func (d *detector) isGiven(second, first *summary.Event) bool {
	call, ok := second.Instr.(ssa.CallInstruction)
	return ok && slices.ContainsFunc(call.Common().Args, func(a ssa.Value) bool { return d.f.Slice(a).HasAny(first.Values) })
}

// whole returns the new object or the return statement that an answer becomes a part of, or nil.
func whole(e *summary.Event) any {
	for _, v := range e.Values {
		if ssautil.IsError(v.Type()) || v.Type() == types.Typ[types.Bool] {
			continue
		}
		for _, use := range ssautil.Uses(v) {
			switch use := use.(type) {
			case *ssa.Store:
				if field, ok := use.Addr.(*ssa.FieldAddr); ok && use.Val == v {
					if made, ok := field.X.(*ssa.Alloc); ok {
						return made
					}
				}
			case *ssa.Return:
				return use
			}
		}
	}
	return nil
}

// writesAfter reports whether the function writes the variable after a read.
func (d *detector) writesAfter(read *summary.Event) bool {
	return slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Loc == read.Loc && d.f.Order().Flows(read.Instr, e.Instr)
	})
}

// otherChannel reports whether the two answers are channels, of which the one is sent to and the
// other received from.
func otherChannel(first, second *summary.Event) bool {
	sends, receives := channelUses(first)
	sendsToo, receivesToo := channelUses(second)
	return sends && !receives && receivesToo && !sendsToo || receives && !sends && sendsToo && !receivesToo
}

func channelUses(e *summary.Event) (sends, receives bool) {
	for _, v := range e.Values {
		for _, use := range ssautil.Uses(v) {
			switch use := use.(type) {
			case *ssa.Send:
				sends = sends || use.Chan == v
			case *ssa.UnOp:
				receives = receives || use.Op == token.ARROW
			case *ssa.Select:
				for _, s := range use.States {
					if s.Chan == v {
						sends = sends || s.Send != nil
						receives = receives || s.Send == nil
					}
				}
			}
		}
	}
	return sends, receives
}

// A decidedPart is the code that is reached on one side of a branch only.
type decidedPart struct {
	br   *ssa.If
	side *ssa.BasicBlock
}

// decidesTwice reports whether a branch tests the first value, a later branch makes the same test of
// the second value, whichever way the first branch went, and the code that the second one guards
// continues what the code that the first one guards has begun.
func (d *detector) decidesTwice(first, second *summary.Event) bool {
	for _, one := range d.parts(first) {
		for _, two := range d.parts(second) {
			if one.br != two.br && asksTheSame(one, two, first, second) && d.comesFromBoth(one.br, two.br) && d.continues(one, two) {
				return true
			}
		}
	}
	return false
}

// parts returns the sides of the branches that ask what e has read.
func (d *detector) parts(e *summary.Event) []decidedPart {
	var out []decidedPart
	for br := range d.f.BranchesOn(e.Values) {
		for _, side := range br.Block().Succs {
			if len(side.Preds) == 1 {
				out = append(out, decidedPart{br, side})
			}
		}
	}
	return out
}

func (p decidedPart) fact() branch.Fact {
	return branch.Alone(p.br.Cond, p.side == p.br.Block().Succs[0])
}

// asksTheSame reports whether the sides say the same of the two answers.
func asksTheSame(one, two decidedPart, first, second *summary.Event) bool {
	f, g := one.fact(), two.fact()
	if !slices.Contains(first.Values, f.Subject) || !slices.Contains(second.Values, g.Subject) {
		return false
	}
	g.Subject = f.Subject
	return f.Equal(g)
}

// comesFromBoth reports whether control comes to the second branch from both sides of the first.
func (d *detector) comesFromBoth(one, two *ssa.If) bool {
	for _, side := range one.Block().Succs {
		if side != two.Block() && !d.f.Order().Exists(summary.Way{From: side.Instrs[0], To: two, Avoid: one}) {
			return false
		}
	}
	return !d.f.Order().Flows(two, one)
}

// continues reports whether the second part ends, or goes on with, what the first has begun.
func (d *detector) continues(one, two decidedPart) bool {
	begun := &begun{d: d, part: one, objects: make(map[ssa.Value]bool)}
	for instr := range one.instrs() {
		begun.add(instr)
	}
	for instr := range two.instrs() {
		if begun.goesOn(instr) {
			return true
		}
	}
	return false
}

// instrs yields the instructions of a part.
func (p decidedPart) instrs() iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range p.br.Parent().Blocks {
			if !p.side.Dominates(b) {
				continue
			}
			for _, instr := range b.Instrs {
				if !yield(instr) {
					return
				}
			}
		}
	}
}

// A begun is what a part has begun: locks that are taken, channels that are sent to or received from, and
// objects that a method is called on for its effect.
type begun struct {
	d              *detector
	part           decidedPart
	locks          []accesspath.Path
	sent, received []ssa.Value
	objects        map[ssa.Value]bool
}

func (g *begun) add(instr ssa.Instruction) {
	for _, op := range g.d.f.Ops()[instr] {
		if op.Kind == lockset.Acquire {
			g.locks = append(g.locks, op.Guard.Path)
		}
	}
	switch instr := instr.(type) {
	case *ssa.Send:
		g.sent = append(g.sent, instr.Chan)
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			g.received = append(g.received, instr.X)
		}
	case *ssa.Select:
		for _, s := range instr.States {
			if s.Send != nil {
				g.sent = append(g.sent, s.Chan)
			}
		}
	case *ssa.Call:
		if o := changedBy(instr); o != nil {
			g.objects[o] = true
		}
	}
}

// goesOn reports whether an instruction ends what was begun, or goes on with it: a lock is released,
// an element is received from the channel that was sent to, or sent to that which was received from,
// a function is called that is only known if the part has run, or an object is used.
func (g *begun) goesOn(instr ssa.Instruction) bool {
	if slices.ContainsFunc(g.d.f.Ops()[instr], func(op lockset.Op) bool {
		return op.Kind == lockset.Release && slices.Contains(g.locks, op.Guard.Path)
	}) {
		return true
	}
	switch instr := instr.(type) {
	case *ssa.Send:
		return g.has(g.received, instr.Chan)
	case *ssa.UnOp:
		return instr.Op == token.ARROW && g.has(g.sent, instr.X)
	case ssa.CallInstruction:
		if phi, ok := instr.Common().Value.(*ssa.Phi); ok && g.part.fills(phi) {
			return true
		}
		return slices.ContainsFunc(instr.Common().Args, func(a ssa.Value) bool {
			return slices.ContainsFunc(g.d.f.Slice(a), func(v ssa.Value) bool { return g.objects[v] })
		})
	}
	return false
}

// has reports whether one of the channels is ch.
func (g *begun) has(channels []ssa.Value, ch ssa.Value) bool {
	path := g.d.f.Res.Resolve(ch).Path
	return slices.ContainsFunc(channels, func(o ssa.Value) bool {
		return o == ch || path != accesspath.Unknown && g.d.f.Res.Resolve(o).Path == path
	})
}

// fills reports whether the part gives a variable the value that it has not otherwise.
func (p decidedPart) fills(phi *ssa.Phi) bool {
	here, elsewhere := false, false
	for i, v := range phi.Edges {
		pred := phi.Block().Preds[i]
		c, isConst := v.(*ssa.Const)
		if p.side.Dominates(pred) || pred == p.side {
			here = here || !isConst
		} else {
			elsewhere = elsewhere || isConst && c.IsNil()
		}
	}
	return here && elsewhere
}

// changedBy returns the parameter on which, or on a part of which, a method is called for its effect
// alone, or nil.
//
//	w.Header().Set("Content-Encoding", "gzip")
func changedBy(c *ssa.Call) ssa.Value {
	if len(*c.Referrers()) > 0 {
		return nil
	}
	var v ssa.Value = c
	for {
		call, ok := v.(*ssa.Call)
		if !ok {
			break
		}
		if v = ssautil.Receiver(call); v == nil {
			return nil
		}
	}
	prm, ok := v.(*ssa.Parameter)
	if !ok || prm.Parent().Signature.Recv() != nil && prm == prm.Parent().Params[0] {
		return nil
	}
	return prm
}
