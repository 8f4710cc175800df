package process

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// Goroutines of an object run in turn if a helper starts the first one for a new object, and each starts the next one by the same
// helper, as the last thing that it does:
//
//	func (s *Sched) Add() { j := &job{}; s.arm(j) }
//
//	func (s *Sched) arm(j *job) { j.timer = time.AfterFunc(s.every, func() { s.run(j) }) }
//
//	func (s *Sched) run(j *job) { …; s.arm(j) }
//
// An access to the object after the start happens before the accesses of the next goroutine if it is in the critical section that surrounds the
// start, and in no other one.

// A turn is the start of a goroutine by a helper.
type turn struct {
	run *Func           // the function of the goroutine
	as  accesspath.Path // the name of the object there
}

// startedInTurn returns the names that the started function has for the objects of which one goroutine runs after the other.
func (p *Processes) startedInTurn(s site) owned {
	if p.isOpen[s.caller.ID] {
		return nil
	}
	var own owned
	for _, o := range objects(p.handed(s)) {
		path := s.caller.Resolver().Resolve(o.value).Path
		if path == path.Root() && p.handsOnInTurn(turn{p.Funcs[s.call.Callee], o.as}, s.caller, path) && p.comesLast(s, path) {
			own = append(own, o.as)
		}
	}
	return own
}

// handsOnInTurn reports whether each call of the helper hands it, by the name of path, another new object, or is the last act of the
// goroutine on its own object, and there is such an act.
func (p *Processes) handsOnInTurn(t turn, helper *Func, path accesspath.Path) bool {
	var made []objectIn
	again := false
	for _, s := range p.sitesOf[helper.ID] {
		if s.caller.Test {
			continue
		}
		given := p.givenAs(s, path)
		switch first := (objectIn{s.caller, given}); {
		case given == accesspath.Unknown:
			return false
		case given.IsFresh() && given == given.Root():
			if slices.Contains(made, first) || s.caller.Paths().Reaches(s.call.Instr, s.call.Instr) && !isAnew(s, given) {
				return false
			}
			made = append(made, first)
		case p.isLastAct(t, s, given):
			again = true
		default:
			return false
		}
	}
	return again
}

// givenAs returns the path, in the caller, of what a call hands to its callee by a name, or Unknown.
func (p *Processes) givenAs(s site, name accesspath.Path) accesspath.Path {
	if s.call.Instr == nil || s.call.Kind != fact.Called {
		return accesspath.Unknown
	}
	for _, o := range p.handed(s) {
		if o.as == name {
			return s.caller.Resolver().Resolve(o.value).Path
		}
	}
	return accesspath.Unknown
}

// isLastAct reports whether a call is the last thing that a goroutine does, by itself or in a function that it calls in the end and
// nobody else calls, and is about its own object.
func (p *Processes) isLastAct(t turn, s site, object accesspath.Path) bool {
	f := s.caller
	if f == t.run {
		return object == t.as && p.comesLast(s, object)
	}
	sites := p.sitesOf[f.ID]
	return !p.isOpen[f.ID] && len(sites) > 0 && !slices.ContainsFunc(sites, func(by site) bool {
		return by.caller != t.run || p.givenAs(by, object) != t.as || !p.comesLast(by, t.as)
	}) && p.comesLast(s, object)
}

// comesLast reports whether the caller does not access the object after a call, but for the critical section which surrounds the call, and does
// not make the same call again.
func (p *Processes) comesLast(s site, object accesspath.Path) bool {
	f, at := s.caller, s.call.Instr
	if at == nil || slices.ContainsFunc(p.sitesOf[s.call.Callee], func(o site) bool {
		return o.caller == f && o.call.Instr != nil && f.Paths().Reaches(at, o.call.Instr)
	}) {
		return false
	}
	var held []lockset.Guard
	f.VisitHeld(func(instr ssa.Instruction, locks []lockset.Guard) {
		if instr == at {
			held = locks
		}
	})
	keeps := func(e *funcsum.Event, g lockset.Guard) bool {
		return hasLock(held, g) && !f.Order().EndsBetween(at, e.Instr, g.Path)
	}
	return !slices.ContainsFunc(f.Events, func(e *funcsum.Event) bool {
		if _, deferred := e.Instr.(*ssa.Defer); e.Instr == at || !deferred && !f.Order().Flows(at, e.Instr) || e.Base != accesspath.Unknown && !e.Base.Within(object) {
			return false
		}
		locks := f.guardsAt(e)
		return len(locks) == 0 || slices.ContainsFunc(locks, func(g lockset.Guard) bool { return !keeps(e, g) })
	})
}
