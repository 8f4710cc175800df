package stalevalue

import (
	"fmt"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/summary"
)

// A message names one rival, and a reader judges the finding by it. Of those that can run in
// between it is the one that does the damage: it is known to make the decision come out the
// other way, and it is not the function itself at work, or a setter that says nothing of why
// it is called.

// mostHarmful returns the rival that is most probably harmful, or nil if there are none.
func (c *candidate) mostHarmful(rivals []rival) *summary.Writer {
	if len(rivals) == 0 {
		return nil
	}
	best, least := 0, 0
	for i, r := range rivals {
		if n := c.harmlessness(r, rivals); i == 0 || n < least {
			best, least = i, n
		}
	}
	return rivals[best].writer
}

// The signs that a rival is not the one that matters, by their weight.
const (
	isAct      = 16 // it is the act, in another goroutine
	isFunction = 8  // the function makes the write elsewhere, or it is called from there
	isCaller   = 4  // it calls the function
	isSetter   = 2  // other rivals call it
	isWanted   = 2  // it stores what the decision has asked for
	isKeptOut  = 2  // it looks first, and need not write where the decision has found what it asks for
	isVague    = 1  // what it writes may leave the decision as it is
)

func (c *candidate) harmlessness(r rival, all []rival) int {
	w, n := r.writer, 0
	add := func(weight int, holds bool) {
		if holds {
			n += weight
		}
	}
	add(isAct, c.link != writeSkew && c.isAct(w))
	add(isFunction, w.Fn == c.d.f.ID || c.d.calls(c.d.f, w.Fn))
	add(isCaller, w.Fn >= 0 && c.d.calls(c.d.pkg.Funcs[w.Fn], c.d.f.ID))
	add(isSetter, c.d.isSetter(w) && slices.ContainsFunc(all, func(o rival) bool { return o.writer != w && o.writer.Pos.Text == w.Pos.Text && o.writer.Fn != c.d.f.ID }))
	add(isVague, !c.data && w.Effect == summary.Anything && w.Const == "")
	wanted, named := c.wanted()
	add(isWanted, w.Const != "" && w.Const == wanted)
	add(isKeptOut, named && c.sameCell() && (c.d.writesNotAt(*w, c.read.Loc, wanted) || w.Const != "" && c.act.Callee != nil && c.act.Callee.Accesses[c.act.Index].RulesOut(w.Const)))
	return n
}

// isAct reports whether a writer is the act itself.
func (c *candidate) isAct(w *summary.Writer) bool {
	return w.Pos.Pos == c.act.Pos.Pos && w.Pos.Pos.IsValid()
}

// makesAct reports whether a writer is the act, in the function or in the callee that makes it.
func (c *candidate) makesAct(w *summary.Writer) bool {
	return c.isAct(w) || isMadeInCallee(c.act, w)
}

// isMadeInCallee reports whether a writer is the one in the callee by which e is made.
func isMadeInCallee(e *summary.Event, w *summary.Writer) bool {
	return e.Callee != nil && e.Callee.Accesses[e.Index].Pos.Text == w.Pos.Text
}

// calls reports whether f calls a function of the package directly.
func (d *detector) calls(f *summary.Func, callee int) bool {
	return slices.ContainsFunc(f.Calls, func(c callgraph.Call) bool { return c.Callee == callee })
}

// isSetter reports whether the function of a writer does nothing but the write.
func (d *detector) isSetter(w *summary.Writer) bool {
	if w.Fn < 0 {
		return false
	}
	f, writes := d.pkg.Funcs[w.Fn], 0
	for _, e := range f.Events {
		if e.Writes() {
			writes++
		}
	}
	return len(f.Fn.Blocks) == 1 && writes == 1
}

// danger says, for a message, who may come in between, and how.
func (c *candidate) danger() string {
	w := orNobody(c.rival())
	if c.isAct(w) {
		if how := c.d.pkg.Processes().Twice(c.d.f, c.read.Base); how != "" {
			return how
		}
		return "another goroutine may be doing the same"
	}
	text := fmt.Sprintf("%s is also written by %s, %s", c.read.Loc.Name(), w.Func, w.Pos.Text)
	if how := c.d.pkg.Processes().Arrival(c.d.f, c.read.Base, w); how != "" {
		text += ", " + how
	}
	return text
}
