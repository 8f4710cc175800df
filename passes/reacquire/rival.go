package reacquire

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// hasRival: somebody can change between the two sections what the first has read. If all
// who do so hold the context, the inner lock is of no use here.
//
//	func (c *C) Set(n int) { c.mu.Lock(); c.n = n; c.mu.Unlock() } // without s.mu
func (c *candidate) hasRival() bool { return c.rival() != nil }

// rival returns a writer that can run between the two sections, or nil: it is concurrent
// with the function, does not belong to its goroutine, and needs no lock that is held
// throughout.
func (c *candidate) rival() *summary.Writer {
	// A lock of the witness's class that a writer holds may be the witness.
	witness := c.d.takings[c.first].Class
	through := slices.DeleteFunc(append(c.d.f.HeldThrough(c.read, c.access), c.context.Class), func(l accesspath.Location) bool { return l == witness })
	writers := c.d.pkg.Guards().Writers(c.read, c.info())
	for i := range writers {
		w := &writers[i]
		if !w.Needs(through) && !c.leaves(w) && c.d.pkg.Processes().ConcurrentAt(c.d.f, c.read, w) && !c.d.pkg.Processes().Confined(c.d.f, c.read.Base, w) {
			return w
		}
	}
	return nil
}

// leaves reports whether the second section leaves what a writer adds: it takes off, by position, a part of the list that the first
// section has read, and the writer only appends to that.
//
//	batch := c.Peek()
//	send(batch)
//	c.Discard(len(batch)) // c.list = c.list[n:], with what others have appended in between
func (c *candidate) leaves(w *summary.Writer) bool {
	return c.read.Loc == c.access.Loc && c.access.Shrinks() && w.Effect == summary.Raises
}
