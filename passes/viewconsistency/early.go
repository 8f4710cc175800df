package viewconsistency

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
	"github.com/atomvet/atomvet/passes/viewconsistency/internal/announce"
)

// An early signal: a function tells others that something has happened, and writes what they
// go and read in a later step.
//
//	close(u.done)
//	u.mu.Lock(); u.err = err; u.mu.Unlock() // WRONG: too late
//
//	<-u.done
//	u.mu.Lock(); err := u.err; u.mu.Unlock() // may find none, and take that for success
//
// The receiver is right: it waits first, and reads then. To write the data first and to give the
// signal last is enough, no lock need be held throughout. That makes the case different from a
// split write, where any order is wrong.
//
// The data is what the receiver reads because of the signal, by a wait that comes before or by a test
// that decides, and then relies upon; and what most functions that give the signal also write. Whether the
// receiver expects to find it there is not known: the report is one of what may be.

// An earlySignal is a signal of the function and a later write, with a receiver of the signal
// that reads what is written. No rule changes its fields.
type earlySignal struct {
	d      *detector
	signal *announce.Signal
	write  *summary.Event
	// way leads to the signal and to the written data from the object that both are reached from.
	way [2]accesspath.Path
	to  *announce.Pair // the receiver, and its read
}

// String describes the candidate for -why.
func (c *earlySignal) String() string {
	return fmt.Sprintf("%s: %s at line %d before %s at line %d, but %s at line %d relies on the order", earlyWrite,
		c.act(), c.d.line(c.signal.At.Pos.Pos), c.d.f.NameOf(c.write), c.d.line(c.write.Pos.Pos), summary.Name(c.to.Fn.Fn), c.d.line(c.to.Read.Pos.Pos))
}

// Positions returns those of the two acts, of the read and of the function.
func (c *earlySignal) Positions() []token.Pos {
	return []token.Pos{c.write.Pos.Pos, c.signal.At.Pos.Pos, c.to.Read.Pos.Pos, c.d.f.Fn.Pos()}
}

// earlySignals reports the writes of data that a signal has announced, each once.
func (d *detector) earlySignals(rules rule.Set[*earlySignal]) []finding.Finding {
	var out []finding.Finding
	signals := d.signals.Signals(d.f)
	if len(signals) == 0 {
		return nil
	}
	announced := make(map[accesspath.Location][]announcement)
	for _, w := range d.signals.Written(d.f) {
		known, ok := announced[w.Loc]
		if !ok {
			known = d.announcements(signals, w.Loc)
			announced[w.Loc] = known
		}
		if c := d.earliest(rules, known, w); c != nil {
			out = append(out, c.finding(rules.Doubts(d.judge, c)))
		}
	}
	return out
}

// An announcement is a signal of the function, with the receptions of it in functions that read
// some data.
type announcement struct {
	signal *announce.Signal
	pairs  []announce.Pair
}

// announcements returns those of the data at a location.
func (d *detector) announcements(signals []announce.Signal, data accesspath.Location) []announcement {
	var out []announcement
	for i := range signals {
		s := &signals[i]
		if pairs := d.signals.Pairs(s.At.Loc, data); len(pairs) > 0 && s.At.Loc != data {
			out = append(out, announcement{s, pairs})
		}
	}
	return out
}

// earliest returns a candidate with the write w that the rules accept, or nil.
func (d *detector) earliest(rules rule.Set[*earlySignal], announced []announcement, w *summary.Event) *earlySignal {
	var best *earlySignal
	c := new(earlySignal) // one that is rejected: most are
	for _, a := range announced {
		s := a.signal
		if s.At.Instr == w.Instr || !d.precedes(s.At, w) || s.At.Callee != nil && !d.f.MayHaveMade(s.At, w.Instr.Block()) {
			continue // or the callee has failed to give the signal
		}
		var way [2]accesspath.Path
		way[0], way[1] = accesspath.Apart(s.At.Base, w.Base)
		*c = earlySignal{d: d, signal: s, write: w, way: way}
		for i := range a.pairs {
			if c.to = &a.pairs[i]; !c.to.Carries(s.Kind) {
				continue
			}
			if rule.Accept(d.judge, rules, c) && (best == nil || c.doubts(rules) < best.doubts(rules)) {
				accepted := *c
				best = &accepted
			}
		}
	}
	return best
}

func (c *earlySignal) doubts(rules rule.Set[*earlySignal]) int {
	return len(rules.Doubts(c.d.judge, c))
}

// precedes reports whether a comes before b, in one run through the function. What is
// deferred runs at the return, the last first.
func (d *detector) precedes(a, b *summary.Event) bool {
	_, late := a.Instr.(*ssa.Defer)
	_, later := b.Instr.(*ssa.Defer)
	forward := func(a, b *summary.Event) bool {
		return d.f.Order().Exists(summary.Way{From: a.Instr, To: b.Instr, Forward: true})
	}
	switch {
	case late && later:
		return forward(b, a)
	case later:
		return forward(a, b) || forward(b, a)
	}
	return !late && forward(a, b)
}

// act says what gives the signal.
func (c *earlySignal) act() string {
	name := c.d.f.NameOf(c.signal.At)
	switch c.signal.Kind {
	case announce.Closes:
		if summary.IsSignalFlag(c.signal.At.Loc) {
			return "the context is canceled"
		}
		return name + " is closed"
	case announce.Sends:
		return name + " is sent to"
	case announce.Wakes:
		return name + " is signaled"
	case announce.Leaves:
		return name + " is told that this is done"
	case announce.Inserts:
		return name + " is filled"
	}
	return name + " is written"
}

func (c *earlySignal) finding(doubts finding.Doubts) finding.Finding {
	d := c.d
	g := summary.Name(c.to.Fn.Fn)
	verb, then := "written", ", reads "+c.to.Fn.NameOf(c.to.Read)+" then, and may not find it"
	if announce.IsCount(c.to.Read) {
		verb, then = "counted up", " and by the count, which may be too low then"
	}
	f := finding.Finding{
		Pos:      c.write.Pos.Pos,
		Category: earlyWrite,
		Message: fmt.Sprintf("%s is %s here, after %s at line %d; %s (%s) goes by that%s",
			d.f.NameOf(c.write), verb, c.act(), d.line(c.signal.At.Pos.Pos), g, c.to.Read.Pos.Text, then),
		Doubts: doubts,
		Group:  fmt.Sprint(d.f.Fn.Pos(), " ", c.signal.At.Loc),
		Notes: []finding.Note{
			{Pos: c.signal.At.Pos.Pos, Message: c.act() + " here"},
			{Pos: c.to.At.Pos.Pos, Message: g + " learns of it here"},
			{Pos: c.to.Read.Pos.Pos, Message: c.to.Fn.NameOf(c.to.Read) + " is relied upon here"},
		},
	}
	f.Anchors = d.pkg.Anchors(summary.Split{
		Fset: d.pass.Fset, Func: d.f, Check: c.signal.At, Act: c.write,
		Readers: []*summary.View{{Func: g, Pos: c.to.Read.Pos, Fn: c.to.Fn.ID}},
	})
	return f
}
