package stalevalue

import (
	"cmp"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/chanop"
	"github.com/atomvet/atomvet/passes/summary"
)

// A buffered channel is a container. The function that sets a flag ends those who receive from the channel, and has what is left in it taken out
// until it is empty: what is sent afterwards stays there.
//
//	func (q *Queue) Stop() {
//		q.stopped.Store(true)
//		close(q.quit)
//		q.workers.Wait()
//		for { select { case j := <-q.jobs: q.run(j); default: return } }
//	}
//
// A worker may do so itself, after it has received from q.quit.

// sendsAfterDrain: the flag was found clear, and something is sent to such a channel in a later critical section.
//
//	if q.stopped.Load() { return errStopped }
//	q.jobs <- j
//
// A send that may also wait for the end of the receivers is the protocol of both, and so is a look at the flag after it.
func (p *pair) sendsAfterDrain() bool {
	if p.effect.kind != sends || p.isProtocol() || p.asksAfterSend() {
		return false
	}
	return len(p.drainings()) > 0 && p.comesAfterEnd()
}

// isProtocol reports whether the send is one of the cases of a select statement that also waits for something.
func (p *pair) isProtocol() bool {
	choice, ok := p.act.Instr.(*ssa.Select)
	return ok && choice.Blocking
}

// asksAfterSend reports whether the function decides by the flag again after the send: it may take out what comes too late.
//
//	q.jobs <- j
//	if q.stopped.Load() { q.drain() }
func (p *pair) asksAfterSend() bool {
	f := p.d.f
	return slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
		return e.Reads() && sameCell(e, p.read) && f.Order().Flows(p.act.Instr, e.Instr) && !f.Order().Flows(e.Instr, p.act.Instr) && f.DecidesBranch(e.Values)
	})
}

// drainings returns the functions that set the flag which was read and have the channel of the effect drained.
func (p *pair) drainings() []summary.Writer {
	ends := p.d.others.Ends(p.read.Loc)
	receives := slices.DeleteFunc(slices.Clone(p.d.channels.Ops(p.act.Loc)), func(o chanop.Op) bool { return !o.Receives })
	if len(ends) == 0 || len(receives) == 0 || !p.d.channels.Buffered(p.act.Loc) {
		return nil
	}
	var out []summary.Writer
	known := func(by *summary.Writer) bool {
		return slices.ContainsFunc(out, func(w summary.Writer) bool { return w.Fn == by.Fn })
	}
	for _, ended := range slices.Sorted(maps.Keys(ends)) {
		for _, by := range ends[ended] {
			if by.Fn >= 0 && !known(&by) && p.hasEmptied(&by, ends, receives) {
				out = append(out, by)
			}
		}
	}
	slices.SortFunc(out, func(a, b summary.Writer) int { return cmp.Compare(a.Fn, b.Fn) })
	return out
}

// hasEmptied reports whether a function that sets the flag, and ends the use of some channels, ends all receivers of another channel, one of which
// empties it. A receiver that only takes what is there, if the flag is clear, needs no end.
func (p *pair) hasEmptied(by *summary.Writer, ends map[accesspath.Location][]summary.Writer, receives []chanop.Op) bool {
	d := p.d
	closed := func(instr ssa.Instruction) bool {
		choice, ok := instr.(*ssa.Select)
		return ok && slices.ContainsFunc(choice.States, func(s *ssa.SelectState) bool {
			return slices.ContainsFunc(ends[d.channels.ChannelOf(s.Chan)], func(w summary.Writer) bool { return w.Fn == by.Fn })
		})
	}
	drained := false
	for _, o := range receives {
		empties := o.By.Fn >= 0 && emptiesChannel(d.pkg.Funcs[o.By.Fn], o.Instr)
		if !empties && !closed(o.Instr) && !p.isRefused(o) {
			return false // it goes on
		}
		if empties && (d.comesTo(d.pkg.Funcs[by.Fn], d.pkg.Funcs[o.By.Fn], limit.NotifyDepth) || ssautil.AnyInstr(d.pkg.Funcs[o.By.Fn].Fn, closed)) {
			drained = true
		}
	}
	return drained
}

// isRefused reports whether a receive does not wait, and is only made if the flag is clear.
func (p *pair) isRefused(o chanop.Op) bool {
	choice, ok := o.Instr.(*ssa.Select)
	if !ok || choice.Blocking || o.By.Fn < 0 {
		return false
	}
	f := p.d.pkg.Funcs[o.By.Fn]
	return slices.ContainsFunc(f.Events, func(e *summary.Event) bool { return e.Reads() && e.Loc == p.read.Loc && f.Decides(e, choice.Block()) })
}

// emptiesChannel reports whether a receive is repeated, and ends where nothing is there.
func emptiesChannel(f *summary.Func, instr ssa.Instruction) bool {
	choice, ok := instr.(*ssa.Select)
	return ok && !choice.Blocking && f.Order().Exists(summary.Way{From: instr, To: instr})
}

// comesTo reports whether f is, or calls, a function, by way of so many others at most.
func (d *detector) comesTo(f, g *summary.Func, depth int) bool {
	return f == g || depth > 0 && slices.ContainsFunc(f.Calls, func(c callgraph.Call) bool {
		return c.Kind == summary.Called && d.comesTo(d.pkg.Funcs[c.Callee], g, depth-1)
	})
}
