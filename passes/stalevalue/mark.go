package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// marksRemoved: the rival removes the object, or shuts down what has it, and sets a flag of it, which decides about the act.
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
	if r.writer.Effect != summary.Removes && r.candidate.link != missedShutdown {
		return false
	}
	marks := r.candidate.marks()
	return r.d.writerMakes(r.writer, func(e *summary.Event) bool {
		return e.Writes() && e.Const != "" && !e.Empties() && slices.Contains(marks, e.Loc) && !r.cleansBefore(e)
	})
}

// cleansBefore reports whether the rival removes something from where the act writes, other than the object itself, before it sets the flag: what
// the act puts there in between stays.
func (r rival) cleansBefore(mark *summary.Event) bool {
	c := r.candidate
	return !c.act.Base.Within(c.read.MemberPath()) && c.link != missedShutdown && r.d.writerMakes(r.writer, func(e *summary.Event) bool {
		return e.Writes() && e.Loc == c.act.Loc && r.d.pkg.Funcs[r.writer.Fn].Order().Flows(e.Instr, mark.Instr)
	})
}

// marks returns what the act asks for of the object that was found, or is changed, in its section: that of the object, if a lock of the object
// is held until the act.
//
//	c.mu.Lock(); defer c.mu.Unlock()
//	if !c.removed { s.names.reserve(name) }
func (c *candidate) marks() []accesspath.Location {
	var out []accesspath.Location
	for _, i := range c.act.Control {
		if e := c.d.f.Events[i]; i != c.readIndex && e.Reads() && (c.asksActedOn(e) || c.read.Key != "" && c.isOnObject(e) && c.d.underOwnLock(e, c.act)) {
			out = append(out, e.Loc)
		}
	}
	return out
}

// asksActedOn reports whether e asks for something of the object that the act changes, in the section of the act: an object of the container that
// was read, or of what is shut down.
func (c *candidate) asksActedOn(e *summary.Event) bool {
	container := c.read.MemberPath()
	if c.link != missedShutdown && (c.read.Key == "" || c.act.Base == container || !c.act.Base.Within(container)) {
		return false
	}
	return accesspath.Same(e.Base, c.act.Base) && e.Base != c.read.Base && c.d.oneSection(e, c.act)
}
