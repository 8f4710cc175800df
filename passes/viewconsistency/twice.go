package viewconsistency

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
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

// readTwice returns the pairs of reads of one variable in two sections of the function.
func (d *detector) readTwice(sections []*section) []pair {
	p := d.partition(readsOfOne, sections)
	var out []pair
	for _, l := range p.locs {
		list := p.accesses[l]
		for i, one := range list {
			for _, two := range list[i+1:] {
				if one.section != two.section && one.event.Ord < two.event.Ord && isSame(one.event, two.event) {
					out = append(out, d.pairOf(one, two, sections))
				}
			}
		}
	}
	return out
}

func isSame(one, two *summary.Event) bool {
	return one.Base == two.Base && one.Key == two.Key && !one.Key.HasAny()
}

// takenForOne: something that is begun by the first answer is continued by the second.
func (c *candidate) takenForOne() bool {
	if c.relation != readsOfOne || c.writesBetween() {
		return false
	}
	return c.otherChannel() || c.decidesTwice()
}

// writesBetween reports whether the function writes the variable after the first read.
func (c *candidate) writesBetween() bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Loc == c.first.Loc && c.d.f.Order().Flows(c.first.Instr, e.Instr)
	})
}

// otherChannel reports whether the two answers are channels, of which the one is sent to and the
// other received from.
func (c *candidate) otherChannel() bool {
	sends, receives := channelUses(c.first)
	sendsToo, receivesToo := channelUses(c.second)
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

// A decided part is the code that is only reached on one side of a branch.
type decidedPart struct {
	br   *ssa.If
	side *ssa.BasicBlock
}

// decidesTwice reports whether two branches ask the same of the two answers, where the first comes to
// the second from both sides, and what is done by the first is continued by the second.
func (c *candidate) decidesTwice() bool {
	for _, one := range c.d.parts(c.first) {
		for _, two := range c.d.parts(c.second) {
			if one.br == two.br || !asksTheSame(one, two, c.first, c.second) || !c.d.comesFromBoth(one.br, two.br) {
				continue
			}
			if c.d.continues(one, two) {
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

func (p decidedPart) has(instr ssa.Instruction) bool {
	return instr.Parent() == p.br.Parent() && p.side.Dominates(instr.Block())
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
	begun := d.begun(one)
	for _, b := range d.f.Fn.Blocks {
		if !two.side.Dominates(b) {
			continue
		}
		for _, instr := range b.Instrs {
			if begun(instr) {
				return true
			}
		}
	}
	return false
}

// begun returns what a part has begun: values that only exist if it has run, locks, and slots of
// channels.
func (d *detector) begun(p decidedPart) func(ssa.Instruction) bool {
	var locks []lockset.Guard
	var sent, received []ssa.Value
	objects := make(map[ssa.Value]bool)
	for _, b := range d.f.Fn.Blocks {
		if !p.side.Dominates(b) {
			continue
		}
		for _, instr := range b.Instrs {
			for _, op := range d.f.Ops()[instr] {
				if op.Kind == lockset.Acquire {
					locks = append(locks, op.Guard)
				}
			}
			switch instr := instr.(type) {
			case *ssa.Send:
				sent = append(sent, instr.Chan)
			case *ssa.UnOp:
				if instr.Op == token.ARROW {
					received = append(received, instr.X)
				}
			case *ssa.Select:
				for _, s := range instr.States {
					if s.Send != nil {
						sent = append(sent, s.Chan)
					}
				}
			case *ssa.Call:
				if o := d.changedBy(instr); o != nil {
					objects[o] = true
				}
			}
		}
	}
	same := func(list []ssa.Value, v ssa.Value) bool {
		return slices.ContainsFunc(list, func(o ssa.Value) bool {
			ref := d.f.Res.Resolve(v)
			return o == v || ref.Path != "" && d.f.Res.Resolve(o).Path == ref.Path
		})
	}
	return func(instr ssa.Instruction) bool {
		for _, op := range d.f.Ops()[instr] {
			if op.Kind == lockset.Release && slices.ContainsFunc(locks, func(g lockset.Guard) bool { return g.Path == op.Guard.Path }) {
				return true
			}
		}
		switch instr := instr.(type) {
		case *ssa.Send:
			return same(received, instr.Chan)
		case *ssa.UnOp:
			if instr.Op == token.ARROW {
				return same(sent, instr.X)
			}
		case ssa.CallInstruction:
			if phi, ok := instr.Common().Value.(*ssa.Phi); ok && p.fills(phi) {
				return true
			}
			return slices.ContainsFunc(instr.Common().Args, func(a ssa.Value) bool {
				return slices.ContainsFunc(d.f.Slice(a), func(v ssa.Value) bool { return objects[v] })
			})
		}
		return false
	}
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
func (d *detector) changedBy(c *ssa.Call) ssa.Value {
	if len(*c.Referrers()) > 0 {
		return nil
	}
	var v ssa.Value = c
	for {
		call, ok := v.(*ssa.Call)
		if !ok {
			break
		}
		if v = summary.Receiver(call); v == nil {
			return nil
		}
	}
	prm, ok := v.(*ssa.Parameter)
	if !ok || prm.Parent().Signature.Recv() != nil && prm == prm.Parent().Params[0] {
		return nil
	}
	return prm
}
