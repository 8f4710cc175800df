package viewconsistency

import (
	"fmt"
	"go/token"

	"github.com/atomvet/atomvet/passes/summary"
)

// The categories.
const (
	splitRead  = "split-read"
	splitWrite = "split-write"
	earlyWrite = "early-signal"
	splitAny   = "" // either, by what the second access is
)

// A relation says why two accesses in different critical sections belong together:
// what some other code does in one step, and the function in two.
type relation uint8

const (
	// readsOfWritten: a critical section writes both locations, the function reads
	// them apart.
	readsOfWritten relation = iota
	// readsOfNested: the same, where the writer takes a lock of one of the two within
	// its own critical section.
	readsOfNested
	// readsOfStored: a function stores both atomic variables, one after the other.
	readsOfStored
	// readsOfPublished: a function writes both atomic variables, in an order that lets
	// those in who read the first one too early.
	readsOfPublished
	// readsOfReplaced: a write replaces the object in one location, the function reads two
	// parts of it from two reads of the location.
	readsOfReplaced
	// readsOfOne: a write changes the location, the function reads it twice and takes both
	// answers for one.
	readsOfOne
	// readsOfMoved: a critical section takes something out of one element of a container and puts it into another
	// one, the function reads two elements apart.
	readsOfMoved
	// writesOfJoined: a critical section reads both for one purpose, the function
	// writes them apart.
	writesOfJoined
	// writesOfWritten: a critical section writes both, the function writes them
	// apart. Of two such writers each may leave its part of the other's (Vaziri,
	// Tip, Dolby, scenarios 6 and 7).
	writesOfWritten
	// writesOfRead: a critical section reads both, for whatever purpose, the
	// function writes them apart (Dias, Pessanha, Lourenço, without correlation).
	writesOfRead
	// usesOfUsed: a critical section accesses both in any way, the function accesses
	// them apart in any way (Artho, Havelund, Biere).
	usesOfUsed
)

// relations returns those that the flags ask for.
func relations() []relation {
	switch {
	case !readWrite:
		return []relation{usesOfUsed}
	case !correlation:
		return []relation{readsOfWritten, writesOfRead}
	}
	return []relation{readsOfWritten, readsOfNested, readsOfStored, readsOfPublished, readsOfReplaced, readsOfOne, readsOfMoved, writesOfJoined, writesOfWritten}
}

// concerns reports whether the relation is one to views of the kind of m.
func (r relation) concerns(m *summary.View) bool {
	switch r {
	case readsOfWritten, writesOfWritten:
		return m.Kind == summary.WriteView && !m.Nested
	case readsOfNested:
		return m.Kind == summary.WriteView && m.Nested
	case readsOfStored:
		return m.Kind == summary.PairView
	case readsOfPublished:
		return m.Kind == summary.OrderView
	case writesOfJoined:
		return m.Kind == summary.JoinedView
	case writesOfRead:
		return m.Kind == summary.ReadView
	case readsOfReplaced, readsOfOne, readsOfMoved:
		return len(m.Vars) == 1
	}
	return m.Kind == summary.AccessView
}

// category returns that of the splits, if the relation decides it.
func (r relation) category() string {
	switch r {
	case readsOfWritten, readsOfNested, readsOfStored, readsOfPublished, readsOfReplaced, readsOfOne, readsOfMoved:
		return splitRead
	case writesOfJoined, writesOfWritten, writesOfRead:
		return splitWrite
	}
	return splitAny
}

// together says what the other code does with both locations.
func (r relation) together() string {
	switch r {
	case writesOfJoined, writesOfRead:
		return "read"
	case usesOfUsed:
		return "used"
	}
	return "written"
}

// A candidate is two accesses in two critical sections of a function, to variables
// that a view of some other code has together. Its fields are never changed.
type candidate struct {
	d             *detector
	relation      relation
	view          *summary.View
	first, second *summary.Event
	a, b          *section // of first and second
}

// category returns that of the finding.
func (c *candidate) category() string {
	switch category := c.relation.category(); {
	case category != splitAny:
		return category
	case c.second.Writes():
		return splitWrite
	}
	return splitRead
}

// isRead reports whether two variables are read apart, and isWrite whether two are written apart.
// Neither holds for what -rw=false finds, nor for one variable that is read twice.
func (c *candidate) isRead() bool {
	return c.relation.category() == splitRead && c.relation != readsOfOne
}
func (c *candidate) isWrite() bool { return c.relation.category() == splitWrite }

// movesElements reports whether it is two elements of one container that are read apart.
func (c *candidate) movesElements() bool { return c.relation == readsOfMoved }

// join returns where the values of a split read come together, the zero Join if
// they do not, or if nobody asks for correlation.
func (c *candidate) join() summary.Join {
	if !correlation || !c.isRead() {
		return summary.Join{}
	}
	if c.relation == readsOfPublished {
		return c.publication()
	}
	key := [2]*summary.Event{c.first, c.second}
	join, known := c.d.joins[key]
	if !known {
		join, _ = c.d.f.Joined(c.first, c.second)
		c.d.joins[key] = join
	}
	if join.At == nil {
		join = c.selection()
	}
	if join.At == nil {
		join = c.d.inObject(key)
	}
	if join.At == nil {
		join = missedNotification(c.d.f, c.first, c.second)
	}
	return join
}

// inObject caches Func.JoinedInObject.
func (d *detector) inObject(key [2]*summary.Event) summary.Join {
	join, known := d.objects[key]
	if !known {
		join, _ = d.f.JoinedInObject(key[0], key[1])
		d.objects[key] = join
	}
	return join
}

// String describes the candidate for -why.
func (c *candidate) String() string {
	return fmt.Sprintf("%s: %s at line %d and %s at line %d, but %s together by %s", c.category(),
		c.d.f.NameOf(c.first), c.d.line(c.first.Pos.Pos), c.d.f.NameOf(c.second), c.d.line(c.second.Pos.Pos),
		c.relation.together(), who(c.view))
}

// Positions returns those of the accesses and of the function.
func (c *candidate) Positions() []token.Pos {
	return []token.Pos{c.second.Pos.Pos, c.first.Pos.Pos, c.d.f.Fn.Pos()}
}

// who names the function that has the view, and its lock.
func who(v *summary.View) string {
	text := v.Func
	if v.Guard != "" {
		text += " under " + v.Guard.Name()
	}
	if v.Pos.Text != "" {
		text += " (" + v.Pos.Text + ")"
	}
	return text
}

// A pair is two accesses in two sections of the function, none of which has the variable
// of the other access.
type pair struct {
	one, two *summary.Event
	a, b     *section // of one and two
}
