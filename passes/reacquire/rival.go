package reacquire

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
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

// leaves reports whether the second section leaves what a writer adds: it takes off, by position, the first elements of the list that
// the first section has read, and the writer only appends to that.
//
//	batch := c.Peek()
//	send(batch)
//	c.Discard(len(batch)) // c.list = c.list[n:], with what others have appended in between
func (c *candidate) leaves(w *summary.Writer) bool {
	return c.read.Loc == c.access.Loc && c.access.Shrinks() && w.Effect == summary.Raises && c.takesFirst(c.d.f, c.access)
}

// takesFirst reports whether a write of f, or each one of a callee that it stands for, stores the elements from a position to the end.
func (c *candidate) takesFirst(f *summary.Func, w *summary.Event) bool {
	if st, ok := w.Instr.(*ssa.Store); ok {
		return isTail(st.Val)
	}
	call, ok := w.Instr.(ssa.CallInstruction)
	if !ok || w.Callee == nil {
		return false
	}
	callee := c.d.pkg.FuncOf(call.Common().StaticCallee())
	if callee == nil || callee == f {
		return false
	}
	written := false
	for _, e := range callee.Events {
		if e.Writes() && e.Loc == w.Loc {
			if e.Callee != nil || !c.takesFirst(callee, e) {
				return false
			}
			written = true
		}
	}
	return written
}

// isTail reports whether a value is what is left of a list from a position on: list[n:], or append(list[:0], list[n:]...).
func isTail(v ssa.Value) bool {
	if call, ok := v.(*ssa.Call); ok && ssautil.IsAppend(call) {
		v = call.Call.Args[1]
	}
	s, ok := v.(*ssa.Slice)
	return ok && s.Low != nil && s.High == nil
}
