package stalevalue

import "github.com/atomvet/atomvet/passes/summary"

// removesSerial: the act removes an element by a number that no other element ever has, and what was
// read has only led to the element.
//
//	s, ok := g.find(device) // g.sessions[g.byDevice[device]]
//	if err := s.push(msg); err != nil {
//		g.drop(s.serial) // delete(g.sessions, serial)
//	}
//
// Whatever has happened in between, the act removes that element or none.
func (c *candidate) removesSerial() bool {
	if c.act.Op&summary.Delete == 0 || c.act.Key == "" || c.comparesValue() || !c.d.others.Serial(c.act.Loc) {
		return false
	}
	blind := func(e *summary.Event) bool { return !e.Looked() && e.Ord != c.read.Ord } // the look-up may mark what it finds
	return (c.read.Loc == c.act.Loc || c.read.Key != "" && c.leadsToAct()) && !c.hasOtherWrites(blind) && !c.hasVisibleEffects()
}

// leadsToAct reports whether an operand of the act is computed from what was read.
func (c *candidate) leadsToAct() bool { return c.d.f.Uses(c.act.Instr, c.read.Values) }
