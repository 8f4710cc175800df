package stalevalue

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// A late entry: an object is given a reference to a table under its own lock, and put
// into the table in a later section.
//
//	c.mu.Lock(); c.srv = s; c.mu.Unlock()
//	s.mu.Lock(); s.clients[c.id] = c; s.mu.Unlock()
//
// A close in between (c.closed = true; delete(c.srv.clients, c.id)) finds nothing to
// remove, and the closed object is put in afterwards: it is never removed. The act does
// not depend on what the first section has read, but on what it should have read, the
// flag that close sets.

// A late is an access, and the later entry of an object into a container, which belong
// together as a rival does the one and looks into the other: it misses the object if it
// runs in between.
type late struct {
	d          *detector
	first, put *summary.Event
	other      *summary.Writer
}

func (l *late) Positions() []token.Pos {
	return []token.Pos{l.d.pos(l.put), l.d.pos(l.first), l.d.f.Fn.Pos()}
}

func (l *late) string(link string) string {
	return fmt.Sprintf("%s: %s at line %d, %s at line %d, %s in between, in %s", link, l.d.f.NameOf(l.first), l.d.line(l.d.pos(l.first)),
		l.d.f.NameOf(l.put), l.d.line(l.d.pos(l.put)), l.other.Func, summary.Name(l.d.f.Fn))
}

func (l *late) isDeep() bool { return l.put.Deep() || l.first.Deep() }

func (l *late) hasRival() bool {
	return rival{d: l.d, writer: l.other, base: l.put.Base, held: l.d.f.HeldForward(l.first, l.put)}.runs()
}

func (l *late) finding(category, message, done string, doubts finding.Doubts) finding.Finding {
	d := l.d
	return d.interruption(finding.Finding{
		Pos: d.pos(l.put), Category: category, Message: message, Doubts: doubts,
		Notes: []finding.Note{{Pos: d.pos(l.first), Message: fmt.Sprintf("%s is %s here", d.f.NameOf(l.first), done)}},
	}, l.first, l.put, l.other, "this comes in between, by "+l.other.Func)
}

// latePuts reports the entries into containers that come after an access to one of the
// locations which others handle before they look into the container.
func latePuts[T any](
	d *detector,
	others func(container accesspath.Location) map[accesspath.Location][]T,
	report func(first, put *summary.Event, other T) bool,
) {
	reported := make(map[ssa.Instruction]bool) // a callee may make a container, and put something into it
	for _, put := range d.f.Events {
		if reported[put.Instr] || !put.Writes() || put.Op&summary.Delete != 0 || put.Const != "" && put.Key == "" || put.Empties() || len(put.Holds) == 0 || put.Key == "" && !appends(put) {
			continue
		}
		by := others(put.Loc)
		if len(by) == 0 {
			continue
		}
		for _, first := range d.f.Events {
			if slices.ContainsFunc(by[first.Loc], func(other T) bool { return report(first, put, other) }) {
				reported[put.Instr] = true
				break
			}
		}
	}
}

// appends reports whether a write appends to a list, in the function or in a callee.
func appends(put *summary.Event) bool {
	return len(put.Added) > 0 || put.Callee != nil && put.Effect() == summary.Raises && !put.Delta()
}

// A lateEntry is a late entry of an object that may be closed before.
type lateEntry struct {
	late
	closing counterpart.Closing
}

func (l *lateEntry) String() string { return l.string("late-entry") }

// lateEntries reports objects that are put into a table late.
func (d *detector) lateEntries(rules rule.Set[*lateEntry]) {
	latePuts(d, d.others.Closes, func(first, put *summary.Event, c counterpart.Closing) bool {
		if put.Key == "" || !first.Writes() || first.Key != "" || first.Ord == put.Ord || !d.puts(put, first) || !d.f.Order().Flows(first.Instr, put.Instr) {
			return false
		}
		l := &lateEntry{late{d, first, put, &c.Writer}, c}
		if !rule.Accept(d.judge, rules, l) {
			return false
		}
		d.findings = append(d.findings, l.finding(checkThenAct, fmt.Sprintf(
			"%s was written at line %d and %s is only filled here, in a later critical section; %s (%s) may set %s and go by the one in between, and not find the other",
			d.f.NameOf(first), d.line(d.pos(first)), d.f.NameOf(put), c.Func, c.Pos.Text, c.Flag.Name()), "written", rules.Doubts(d.judge, l)))
		return true
	})
}

// puts reports whether put puts the object that first writes to into something else.
func (d *detector) puts(put, first *summary.Event) bool {
	elsewhere := put.Base != accesspath.Unknown && !put.Base.Within(first.Base)
	return elsewhere && slices.ContainsFunc(put.Inputs, func(v ssa.Value) bool { return d.f.Res.Resolve(v).Path == first.Base })
}

// asksForMark: the function checks the flag that close sets, in the section of the first
// access, or afterwards.
//
//	c.mu.Lock()
//	if c.closed { c.mu.Unlock(); return }
//	c.srv = s
//	c.mu.Unlock()
func (l *lateEntry) asksForMark() bool {
	return slices.ContainsFunc(l.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && e.Loc == l.closing.Flag && (summary.SharePassage(e, l.first) || l.d.f.Order().Flows(l.first.Instr, e.Instr))
	})
}
