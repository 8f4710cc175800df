package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/interleave"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/summary"
)

// With the flag -runs the candidates that the rules leave are executed: those for which no run
// does harm are left out, and those for which one does are shown with it, without a doubt.
// Besides, pairs of accesses are found that nothing but a harmful run ties together.
//
// The flag is off by default, as one run of one rival does not decide yet: two rivals in a row
// may do what one cannot.

// execution executes the function of the candidate with each of its rivals.
func (c *candidate) execution() summary.Execution {
	if e, ok := c.d.executions[c]; ok {
		return e
	}
	units, complete := c.units()
	e := c.d.pkg.Execute(c.d.f, c.read.Instr, c.act.Instr, units, complete)
	if c.d.executions == nil {
		c.d.executions = make(map[*candidate]summary.Execution)
	}
	c.d.executions[c] = e
	return e
}

// units returns the rivals as functions of this package, and the function itself if it can
// run twice at the same time. It reports whether these are all.
func (c *candidate) units() (units []*summary.Func, complete bool) {
	complete = true
	add := func(f *summary.Func) {
		if !slices.Contains(units, f) {
			units = append(units, f)
		}
	}
	for r := range c.rivals() {
		switch {
		case !r.runs():
		case r.writer.Fn < 0:
			complete = false
		default:
			add(c.d.pkg.Funcs[r.writer.Fn])
		}
	}
	if c.d.pkg.Processes().BesideItself(c.d.f, c.read.Base) {
		add(c.d.f)
	}
	return units, complete
}

// isSerializable: no schedule of the function and its rivals has an outcome that none has
// in which read and act are one step.
//
//	s.mu.Lock(); closed := s.closed; s.mu.Unlock()
//	if !closed { // Close only sets s.closed
//		s.mu.Lock(); s.names[k] = name; s.mu.Unlock()
//	}
func (c *candidate) isSerializable() bool { return c.execution().Serializable() }

// isLeftOut reports whether the candidate is left out for want of a harmful run.
func (c *candidate) isLeftOut() bool {
	if !runs || c.effect != nil || c.distant != nil || !c.isSerializable() {
		return false
	}
	c.d.judge.Note(c, "left out: no run with a rival does harm")
	return true
}

// doesHarm reports whether a harmful run is known. That only what is returned differs says
// nothing where the act is a write: it may be whether a cache was hit.
func (c *candidate) doesHarm() bool {
	e := c.execution()
	return e.Harmful() && (e.Kind < interleave.Result || !c.act.Writes())
}

// confirm completes the finding of a candidate for which a harmful run is known: there is
// no doubt, and the run is shown.
func (c *candidate) confirm(f *finding.Finding) {
	if runs && c.effect == nil && c.doesHarm() {
		f.Doubts = nil
		f.Notes = append(f.Notes, finding.RunNotes(c.execution().Answer, f.Pos)...)
	}
}

// isSmall reports whether all pairs of accesses of the function are executed.
func (d *detector) isSmall() bool {
	n := 0
	for _, b := range d.f.Fn.Blocks {
		n += len(b.Instrs)
	}
	return n <= limit.SmallFunction && !d.f.Test
}

// harmfulRuns returns the first pair of a read and a write in different sections for which
// a run does harm.
func (d *detector) harmfulRuns() []*candidate {
	for i, r := range d.f.Events {
		info := d.pkg.Location(r.Loc)
		if !r.Reads() || r.Base == accesspath.Unknown || info.Constant() {
			continue
		}
		guard, ok := validGuard(r, info)
		if !ok {
			continue
		}
		for _, w := range d.f.Events {
			if !w.Writes() || w.Ord == r.Ord || len(w.Holds) == 0 || !d.actsAfter(r, w, guard, false) {
				continue
			}
			c := &candidate{pair{d: d, read: r, act: w, readIndex: i, guard: guard, info: info}, harmfulRun}
			if c.hasRival() && c.doesHarm() && c.execution().Stale {
				return []*candidate{c}
			}
		}
	}
	return nil
}
