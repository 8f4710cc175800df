package stalevalue

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// An object is told which table it is in, under its own lock, and put into the table
// later, under that of the table. Who closes it in between looks into the table, finds
// nothing to take out, and is gone when it is put in: nobody will ever take it out.
// The act does not depend on what the first passage has read, but on what it should
// have read, the mark of the one who closes it.

// registers reports such late entries.
func (d *detector) registers() {
	after(d, d.pkg.Closes, d.tooLate, d.lateEntry)
}

// tooLate reports whether the object may be closed by c between tell, which tells it where
// it is to be put, and put.
func (d *detector) tooLate(tell, put *summary.Event, c summary.Closing) bool {
	if put.Key == "" || !tell.Writes() || tell.Key != "" || tell.Ord == put.Ord || tell.Base.IsFresh() || !d.puts(put, tell) {
		return false
	}
	return d.pkg.Concurrent(d.f, &c.Writer) && d.f.Order().Flows(tell.Instr, put.Instr) && !d.onePassage(tell, put) &&
		!c.Needs(d.f.Order().HeldForward(tell, put)) && c.Func != summary.Name(d.f.Fn) && !d.asksFor(c, tell)
}

// puts reports whether put puts the object that tell is about into something else.
func (d *detector) puts(put, tell *summary.Event) bool {
	elsewhere := put.Base != accesspath.Unknown && !put.Base.Within(tell.Base)
	return elsewhere && slices.ContainsFunc(put.Inputs, func(v ssa.Value) bool { return d.f.Res.Resolve(v).Path == tell.Base })
}

// asksFor reports whether the function asks for the mark of c when it tells the object,
// or afterwards.
func (d *detector) asksFor(c summary.Closing, tell *summary.Event) bool {
	return slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && e.Loc == c.Flag && (summary.SharePassage(e, tell) || d.f.Order().Flows(tell.Instr, e.Instr))
	})
}

func (d *detector) lateEntry(tell, put *summary.Event, c summary.Closing) {
	d.late(checkThenAct, put, fmt.Sprintf(
		"%s was written at line %d and %s is only filled here, in a later critical section; %s (%s) may set %s and go by the one in between, and not find the other",
		d.f.NameOf(tell), d.line(d.pos(tell)), d.f.NameOf(put), c.Func, c.Pos.Text, c.Flag.Name()),
		tell, "written", c.Writer)
}
