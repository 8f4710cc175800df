package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/summary"
)

// An unchecked look-up is an act that is no write: an element is looked up under a lock,
// found, and looked up again in a later section, and what the second look-up yields is
// dereferenced without asking whether it is still there.

// looksUpAgain: the second look-up is in the same container.
//
//	if s.Has(id) {
//		learner := s.Get(id).Learner // Get returns nil if it is gone
//	}
func (p *pair) looksUpAgain() bool {
	return p.read.Key != "" && p.act.Loc == p.read.Loc && p.usesUnchecked()
}

// looksUpMember: the second look-up is in another container, from which whoever removes
// the element removes it as well.
//
//	if s.has(id) {
//		s.mu.Lock(); s.peers[id].send(m); s.mu.Unlock() // delete(s.ids, id); delete(s.peers, id)
//	}
func (p *pair) looksUpMember() bool {
	return p.read.Key != "" && p.act.Loc != p.read.Loc && p.removedTogether() && p.usesUnchecked()
}

// removedTogether reports whether the elements of the two containers are removed
// together.
func (p *pair) removedTogether() bool {
	info := p.d.pkg.Location(p.act.Loc)
	return !info.Constant() && p.info.IsJoint(p.act.Loc) && slices.ContainsFunc(info.Writers, func(w summary.Writer) bool {
		return w.Effect == summary.Removes && slices.ContainsFunc(p.info.Writers, func(o summary.Writer) bool {
			return o.Func == w.Func && o.Effect == summary.Removes
		})
	})
}

// usesUnchecked reports whether what the act looks up is dereferenced if the read says so.
func (p *pair) usesUnchecked() bool {
	use := p.d.f.Dereference(p.act)
	return use != nil && branchesOn(p.d.f, use.Block(), p.read)
}

// asksAgain: the second look-up is asked whether it has found something, or another one in its
// section.
//
//	if s.Has(id) {
//		if m := s.Get(id); m != nil && m.Learner { … }
//	}
func (c *candidate) asksAgain() bool {
	use := c.d.f.NeedsValue(c.act)
	return use != nil && slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return (e == c.act || e != c.read && sameCell(e, c.act) && c.d.oneSection(e, c.act)) && branchesOn(c.d.f, use.Block(), e)
	})
}

// putsThere: the section of the second look-up has put the element there before.
//
//	if !s.Has(id) { … }
//	s.mu.Lock(); s.m[id] = new(member); s.m[id].n++; s.mu.Unlock()
func (c *candidate) putsThere() bool {
	return slices.ContainsFunc(c.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Op&summary.Delete == 0 && sameCell(w, c.act) && c.d.oneSection(w, c.act) &&
			c.d.f.Order().MustPass(c.read.Instr, w.Instr, c.act.Instr)
	})
}

// branchesOn reports whether what e has read decides whether block b of f runs.
func branchesOn(f *summary.Func, b *ssa.BasicBlock, e *summary.Event) bool {
	probe := &summary.Event{Instr: b.Instrs[0]}
	return e.Reads() && slices.ContainsFunc(f.Conditions(probe), func(c ssa.Value) bool {
		return f.Slice(c).HasAny(e.Values)
	})
}
