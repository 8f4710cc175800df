package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// Optimistic code acts first and asks then whether something has come in between, by a version that
// each change raises.
//
//	s.mu.Lock(); u, v := s.users[name], s.version; s.mu.Unlock()
//	if !u.accepts(password) { return errDenied }
//	s.tokens.add(token, name)
//	if s.Version() != v { s.tokens.remove(token); … }

// comparesAfterwards: after the act the function compares a version with what it was in the section of
// the read, and all rivals change it when they change what was read.
func (c *candidate) comparesAfterwards() bool {
	return slices.ContainsFunc(c.d.f.Events, func(old *summary.Event) bool {
		return old.Reads() && old.Loc != c.act.Loc && (old == c.read || summary.SharePassage(old, c.read)) && slices.ContainsFunc(c.d.f.Events, func(now *summary.Event) bool {
			return now != old && now.Reads() && now.Loc == old.Loc && accesspath.Same(old.Base, now.Base) && c.compares(old, now) &&
				c.d.f.Order().Exists(summary.Way{From: c.act.Instr, To: now.Instr, Forward: true}) && c.tellsOfRivals(now)
		})
	})
}

// compares reports whether a branch of the function depends on two reads.
func (c *candidate) compares(a, b *summary.Event) bool {
	for br := range c.d.f.BranchesOn(a.Values) {
		if compared, ok := br.Cond.(*ssa.BinOp); ok && c.d.f.Slice(compared).HasAny(b.Values) {
			return true
		}
	}
	return false
}

// tellsOfRivals reports whether e reads what all rivals that may run in between write in the section
// in which they write what was read by the candidate.
func (c *candidate) tellsOfRivals(e *summary.Event) bool {
	told := false
	for r := range c.rivals() {
		if !r.runs() {
			continue
		}
		if told = r.writesWith(e); !told {
			return false
		}
	}
	return told
}

// writesWith reports whether the rival writes what e reads, of the object of the candidate, in the
// section in which it comes in between.
func (r rival) writesWith(e *summary.Event) bool {
	if !accesspath.Same(e.Base, r.candidate.read.Base) {
		return false
	}
	f, w := r.d.pkg.WriteOf(r.writer)
	return w != nil && slices.ContainsFunc(f.Events, func(o *summary.Event) bool {
		return o.Writes() && o.Loc == e.Loc && accesspath.Same(o.Base, w.Base) && summary.SharePassage(o, w)
	})
}
