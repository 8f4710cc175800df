package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// staleValues reports the acts on stale values in the function: for each section that
// acts, the most serious one.
func (d *detector) staleValues() {
	var found []*candidate
	effects, distant := d.effects(), d.pkg.DistantActs(d.f)
	for i, r := range d.f.Events {
		if !r.Reads() || len(r.Values) == 0 && !r.Awaited() || r.Base == accesspath.Unknown {
			continue
		}
		info := d.pkg.Location(r.Loc)
		guard, ok := validGuard(r, info)
		if !ok {
			continue
		}
		read := pair{d: d, read: r, readIndex: i, guard: guard, info: info}
		for _, candidates := range [][]*candidate{read.writes(), read.lookups(), read.indexed(), read.effectsAfter(effects), read.actsAtDistance(distant)} {
			for _, c := range candidates {
				if rule.Accept(d.judge, staleRules, c) && !c.isLeftOut() {
					found = append(found, c)
				}
			}
		}
	}
	if runs && len(found) == 0 && d.isSmall() {
		found = d.harmfulRuns()
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
		p.act, p.collected, p.ofEach = w, p.collects(w), p.isEach(w)
		same := p.sameCell()
		p.data = p.collected == nil && (slices.Contains(w.Data, p.readIndex) || same && p.replacesObject())
		p.awaited = p.awaits()
		p.decides = slices.Contains(w.Control, p.readIndex) || same && (p.waits() || p.awaited)
		kinds := dependences
		switch {
		case !p.data && !p.decides && !p.awaited:
			kinds = skews
		case p.read.Loc != w.Loc:
			// What a callee makes of an argument does not tie two locations together.
			p.decides = p.decides && p.d.decides(p.read, w)
		}
		if out = p.candidate(out, kinds); w.Delta() || w.Key != "" || p.appends() {
			out = p.candidate(out, counts)
		}
		if same || p.readsAll() || p.goesThroughAgain() {
			out = p.candidate(out, drained)
		} else if w.Empties() {
			out = p.candidate(out, resets)
		}
		if same {
			out = p.candidate(p.candidate(out, discards), fills)
		}
		if w.Shrinks() {
			out = p.candidate(out, drops)
		}
	}
	return out
}

// lookups returns the candidates with another look-up of the element that was read, or
// another read of the variable.
func (p pair) lookups() []*candidate {
	var out []*candidate
	for _, e := range p.d.f.Events {
		if e == p.read || !e.Reads() || e.Writes() || e.Ord == p.read.Ord || !accesspath.Same(e.Base, p.read.Base) || !sameElement(e, p.read) {
			continue
		}
		p.act = e
		out = p.candidate(out, lookups)
	}
	return out
}

// effectsAfter returns the candidates with an effect that the read decides about.
func (p pair) effectsAfter(effects []effect) []*candidate {
	var out []*candidate
	for i := range effects {
		e := &effects[i]
		if !slices.Contains(e.Control, p.readIndex) || e.in != p.d.f && readsAt(e.in, p.read.Loc) {
			continue
		}
		p.act, p.effect, p.decides = e.Event, e, true
		if e.onRead() {
			own := *e.Event
			own.Ref = p.read.Ref
			p.act = &own
		}
		if r := effectLinks.Reporting(p.d.judge, &p); r != nil {
			out = append(out, &candidate{p, linkOf(r.ID)})
		}
	}
	return out
}

// candidate appends the candidate that the pair is by one of the links, if control can
// reach the act from the read through the end of the section of the read. Otherwise the
// two are one step.
func (p *pair) candidate(to []*candidate, kinds rule.Set[*pair]) []*candidate {
	if r := kinds.Reporting(p.d.judge, p); r != nil && p.d.actsAfter(p.read, p.act, p.guard, false) {
		c := &candidate{*p, linkOf(r.ID)}
		// A link that holds without data and without a branch holds by the wait.
		c.decides = p.decides || p.awaited && !p.data
		return append(to, c)
	}
	return to
}

// actsAtDistance returns the candidates whose act another goroutine makes. They are on what was
// read, or remove what it was read of: other acts of a receiver depend on what it knows itself.
func (p pair) actsAtDistance(acts []summary.DistantAct) []*candidate {
	var out []*candidate
	for i := range acts {
		a := &acts[i]
		p.act, p.distant = a.Event, a
		p.data, p.decides = slices.Contains(a.Data, p.readIndex), slices.Contains(a.Control, p.readIndex)
		if !p.sameCell() && !p.removesChosen() && !p.removesOutdated() || !slices.ContainsFunc(a.Holds, func(h summary.Hold) bool { return h.Class == p.guard.Class }) {
			continue
		}
		switch {
		case !a.Sent && !p.data:
			continue // see double-start
		case a.Listed && !p.d.endsBefore(p.read, p.act.Instr, p.guard):
			// The list is a part of what the lock guards: what is in it tells others
			// what will be done.
			continue
		}
		out = p.candidate(out, dependences)
	}
	return out
}
