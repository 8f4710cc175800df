package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// marksRemoved: the rival removes the object and sets a flag of it, which decides about the act.
//
//	s.mu.Lock(); r := s.rooms[id]; s.mu.Unlock()
//	r.mu.Lock()
//	if !r.closed { // the rival: delete(s.rooms, id), and then r.closed = true
//		r.members[m.id] = m
//	}
//	r.mu.Unlock()
//
// What comes in before the flag is set is there when the rival sets it.
func (r rival) marksRemoved() bool {
	if r.writer.Effect != summary.Removes {
		return false
	}
	marks := r.candidate.marks()
	return r.d.writerMakes(r.writer, func(e *summary.Event) bool {
		return e.Writes() && e.Const != "" && !e.Empties() && slices.Contains(marks, e.Loc)
	})
}

// marks returns what the act asks for of the object that was found, in its section.
func (c *candidate) marks() []accesspath.Location {
	container := c.read.MemberPath()
	if c.read.Key == "" || c.act.Base == container || !c.act.Base.Within(container) {
		return nil
	}
	var out []accesspath.Location
	for _, i := range c.act.Control {
		if e := c.d.f.Events[i]; i != c.readIndex && e.Reads() && accesspath.Same(e.Base, c.act.Base) && c.d.oneSection(e, c.act) {
			out = append(out, e.Loc)
		}
	}
	return out
}
