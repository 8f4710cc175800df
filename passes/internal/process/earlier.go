package process

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/cfgpath"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

// What is done to a new object before a goroutine is started with it happens before that goroutine, although others may have the object by then:
//
//	func New(c Config) *Client {
//		x := &Client{config: c}
//		go x.watch()
//		x.restore() // beside watch, not beside run
//		go x.run()
//		return x
//	}
//
// The same code for another object does not concern it. The start may be in a callee that runs once per object:
//
//	func New() *Store { s := &Store{}; s.load(); s.start(); return s }
//	func (s *Store) start() { go s.flush() } // load happens before flush

// comesBefore reports whether an activity happens before the goroutine of root j, which runs the other one on the same object.
func (p *Processes) comesBefore(a Activity, j int, other Activity) bool {
	if r := p.Procs.roots[j]; !r.Go || !r.Single || len(r.own) == 0 || r.start == nil {
		return false
	}
	e := p.earlierThan(j)
	if own := e.in[a.F.ID]; !slices.Contains(own, a.Base) || !slices.Contains(p.instanceOf(j)[other.F.ID], other.Base) {
		return false // another object, or a part of it that others may have, too
	}
	i := slices.IndexFunc(e.way, func(b beginning) bool { return b.f == a.F })
	return i < 0 || a.At != nil && e.way[i].comesAfter(a.At, a.Base)
}

// comesAfter reports whether the function executes an instruction only before the start, for the object at a path.
func (b beginning) comesAfter(instr ssa.Instruction, path accesspath.Path) bool {
	if _, deferred := instr.(*ssa.Defer); deferred || instr == b.at {
		return false
	}
	if made, ok := b.f.Resolver().Definition(path).(ssa.Instruction); ok && path.IsFresh() {
		return !b.f.Paths().Exists(cfgpath.Way{From: b.at, To: instr, Avoid: made})
	}
	return !b.f.Paths().Reaches(b.at, instr)
}

// earlierThan returns what happens before the goroutine of root j.
func (p *Processes) earlierThan(j int) earlier {
	if e, ok := p.earlier[j]; ok {
		return e
	}
	e := earlier{way: p.wayTo(p.Procs.roots[j]), in: make(map[int]owned)}
	if len(e.way) > 0 {
		p.findEarlier(&e)
	}
	if p.earlier == nil {
		p.earlier = make(map[int]earlier)
	}
	p.earlier[j] = e
	return e
}

// wayTo returns the way to the start of a root from the function that makes the object, nil if that is not known.
func (p *Processes) wayTo(r Root) []beginning {
	i := slices.IndexFunc(p.sitesOf[r.Func], func(s site) bool { return s.call.Instr == r.start })
	if i < 0 {
		return nil
	}
	at := p.sitesOf[r.Func][i]
	var way []beginning
	for !slices.ContainsFunc(way, func(b beginning) bool { return b.f == at.caller }) {
		times, objects := p.callMultiplicity(at)
		if times != perObject {
			return nil
		}
		b := beginning{f: at.caller, at: at.call.Instr}
		for _, o := range objects {
			b.own = append(b.own, o.path)
		}
		slices.Sort(b.own)
		b.own = slices.Compact(b.own)
		if way = append(way, b); areMade(objects) {
			return way
		}
		calls := slices.DeleteFunc(slices.Clone(p.sitesOf[at.caller.ID]), func(s site) bool { return s.caller.Test && !at.caller.Test })
		if len(calls) != 1 || calls[0].call.Kind != fact.Called {
			return nil
		}
		at = calls[0]
	}
	return nil
}

// findEarlier finds the functions that only run before the start: all their calls are on the way and come before it, or are made by such functions.
// It is the greatest fixpoint.
func (p *Processes) findEarlier(e *earlier) {
	before := make(map[int]bool)
	for _, b := range e.way {
		for _, f := range p.reachedFrom(b.f.ID) {
			before[f] = before[f] || !p.Procs.IsRoot(f) && !p.isOpen[f]
		}
	}
	for _, b := range e.way {
		e.in[b.f.ID] = b.own
		delete(before, b.f.ID)
	}
	reached := slices.Sorted(maps.Keys(before))
	for n := -1; n != len(reached); {
		n = len(reached)
		reached = slices.DeleteFunc(reached, func(f int) bool {
			before[f] = before[f] && !slices.ContainsFunc(p.sitesOf[f], func(s site) bool { return (!s.caller.Test || p.Funcs[f].Test) && !e.isBefore(s, before) })
			return !before[f]
		})
	}
	p.handOn(e.in, reached)
}

// isBefore reports whether a call comes before the start.
func (e *earlier) isBefore(s site, before map[int]bool) bool {
	if s.call.Kind != fact.Called || s.call.Instr == nil {
		return false
	}
	if i := slices.IndexFunc(e.way, func(b beginning) bool { return b.f == s.caller }); i >= 0 {
		way := e.way[i]
		return !slices.ContainsFunc(way.own, func(path accesspath.Path) bool { return !way.comesAfter(s.call.Instr, path) })
	}
	return before[s.caller.ID]
}
