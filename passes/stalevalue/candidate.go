package stalevalue

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// A pair is a read of a guarded location and another access of the function, which may
// come in a later section.
type pair struct {
	d         *detector
	read, act *summary.Event
	readIndex int
	guard     summary.Hold // under which the read was made
	info      *summary.LocInfo
	// What is written, or its key, depends on the value read; or the decision to write.
	data, decides bool
}

// A candidate is a pair with a reason why its accesses belong together.
type candidate struct {
	pair
	link link
}

func (c *candidate) String() string {
	return fmt.Sprintf("%s: %s at line %d, %s at line %d, in %s", c.link,
		c.d.f.NameOf(c.read), c.d.line(c.d.pos(c.read)), c.d.f.NameOf(c.act), c.d.line(c.d.pos(c.act)), summary.Name(c.d.f.Fn))
}

func (c *candidate) Positions() []token.Pos {
	return []token.Pos{c.d.pos(c.act), c.d.pos(c.read), c.d.f.Fn.Pos()}
}

// staleValues reports the acts on stale values in the function: for each section that
// acts, the most serious one.
func (d *detector) staleValues() {
	var found []*candidate
	for i, r := range d.f.Events {
		if !r.Reads() || len(r.Values) == 0 || r.Base == accesspath.Unknown {
			continue
		}
		info := d.pkg.Location(r.Loc)
		guard, ok := validGuard(r, info)
		if !ok {
			continue
		}
		read := pair{d: d, read: r, readIndex: i, guard: guard, info: info}
		for _, candidates := range [][]*candidate{read.writes(), read.lookups()} {
			for _, c := range candidates {
				if rule.Accept(d.judge, staleRules, c) {
					found = append(found, c)
				}
			}
		}
	}
	d.report(d.firstActs(found))
}

// firstActs leaves out acts that come after others.
func (d *detector) firstActs(found []*candidate) []*candidate {
	var out []*candidate
	for _, c := range found {
		if r := actRules.Rejecting(d.judge, &firstAct{c, found}); r != nil {
			d.judge.Note(c, "silenced by "+r.String())
			continue
		}
		out = append(out, c)
	}
	return out
}

// writes returns the candidates with a write in a section of its own.
func (p pair) writes() []*candidate {
	var out []*candidate
	for _, w := range p.d.f.Events {
		if !w.Writes() || w.Ord == p.read.Ord || len(w.Holds) == 0 || w.Base == accesspath.Unknown {
			continue
		}
		p.act = w
		p.data = slices.Contains(w.Data, p.readIndex)
		p.decides = slices.Contains(w.Control, p.readIndex) || p.sameCell() && p.waits()
		kinds := dependences
		switch {
		case !p.data && !p.decides:
			kinds = skews
		case p.read.Loc != w.Loc:
			// What a callee makes of an argument does not tie two locations together.
			p.decides = p.decides && p.d.decides(p.read, w)
		}
		out = p.candidate(out, kinds)
	}
	return out
}

// lookups returns the candidates with another look-up of the element that was read.
func (p pair) lookups() []*candidate {
	if p.read.Key == "" {
		return nil
	}
	var out []*candidate
	for _, e := range p.d.f.Events {
		if e == p.read || !e.Reads() || e.Writes() || e.Ord == p.read.Ord || !accesspath.Same(e.Base, p.read.Base) || !accesspath.SameElement(e.Key, p.read.Key) {
			continue
		}
		p.act = e
		out = p.candidate(out, lookups)
	}
	return out
}

// candidate appends the candidate that the pair is by one of the links, if control can
// reach the act from the read through the end of the section of the read. Otherwise the
// two are one step.
func (p pair) candidate(to []*candidate, kinds rule.Set[*pair]) []*candidate {
	if r := kinds.Reporting(p.d.judge, &p); r != nil && p.d.endsBefore(p.read, p.act.Instr, p.guard) {
		return append(to, &candidate{p, linkOf(r.ID)})
	}
	return to
}

// validGuard returns the hold under which r is read of a guard that all
// writers of the location hold, or of the atomic operation that it is.
func validGuard(r *summary.Event, info *summary.LocInfo) (summary.Hold, bool) {
	if info.Constant() {
		return summary.Hold{}, false
	}
	for _, h := range r.Holds {
		if slices.Contains(info.Guards, h.Class) {
			return h, true
		}
	}
	for _, h := range r.Holds {
		if h.Inner && info.Atomic && strings.HasPrefix(string(h.Class), string(r.Loc)) {
			return h, true
		}
	}
	return summary.Hold{}, false
}

// dependent limits a rule to candidates whose act depends on the read.
func dependent(c *candidate) bool { return c.link < writeSkew }

// decision limits a rule to those that are decided by what was read.
func decision(c *candidate) bool {
	return dependent(c) && c.category() == checkThenAct && c.link != revivableObject
}

// of limits a rule to candidates with one of the links.
func of(kinds ...link) func(*candidate) bool {
	return func(c *candidate) bool { return slices.Contains(kinds, c.link) }
}

// sameCell reports whether a and b access the same element of the same object.
func sameCell(a, b *summary.Event) bool {
	return a.Loc == b.Loc && accesspath.Same(a.Base, b.Base) && accesspath.KeysOverlap(a.Key, b.Key)
}

// related reports whether one of two objects is a part of the other.
func related(a, b accesspath.Path) bool { return a.Within(b) || b.Within(a) }

func (p *pair) sameCell() bool { return sameCell(p.read, p.act) }

// decides reports whether a branch on what r read decides about w in this
// function.
func (d *detector) decides(r, w *summary.Event) bool {
	own := *w
	own.Conditions = nil
	return slices.ContainsFunc(d.f.Conditions(&own), func(c ssa.Value) bool {
		return d.f.Slice(c).HasAny(r.Values)
	})
}
