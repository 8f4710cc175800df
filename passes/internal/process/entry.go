package process

import (
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"golang.org/x/tools/go/ssa"
)

// entries finds the locks that all callers of a function hold at the call: the greatest
// fixpoint over the call sites in the package. A function that may be called from outside
// the package, or that runs as a process of its own, has none.
func (p *Processes) entries(sites [][]site, open []bool) {
	known := make([]bool, len(p.Funcs))
	for i, f := range p.Funcs {
		if open[i] {
			known[i] = true
			f.Entry = withLocks(p.namedLocked(f), p.annotatedEntry(f))
		}
	}
	for range limit.EntryRounds {
		changed := false
		for i, f := range p.Funcs {
			if open[i] {
				continue
			}
			entry, ok := p.meet(f, sites[i], known)
			entry = withLocks(entry, p.annotatedEntry(f))
			if ok && (!known[i] || !slices.Equal(entry, f.Entry)) {
				known[i], f.Entry = true, entry
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	for i, f := range p.Funcs {
		if !open[i] {
			p.promised(f, sites[i])
		}
	}
	for i, f := range p.Funcs {
		if !open[i] && len(sites[i]) > 0 {
			f.constructs = !slices.ContainsFunc(sites[i], func(s site) bool { return !s.fresh && !s.caller.constructs })
		}
		// The body of a sync.Once runs before publication, too, unless it takes a lock that others need for the same.
		f.constructs = f.constructs || f.RunsOnce() && len(f.Takings()) == 0
	}
	for _, f := range p.Funcs {
		f.Body = p.Confirmed(f.Body, f.Entry)
	}
}

// promised adds to the entry locks of a function whose name ends in Locked the locks of
// its receiver that at least one caller holds. The callers that do not hold them are
// taken to call it on an object that is confined to them, unless they hold another lock of the
// object and the function has sections of its own: then they have taken the wrong lock around these.
func (p *Processes) promised(f *Func, sites []site) {
	named := p.namedLocked(f)
	if len(named) == 0 {
		return
	}
	var held [][]lockset.Guard // of the locks with which the function may be called, those that a site holds
	for _, s := range sites {
		if s.call.Instr == nil {
			continue
		}
		if h := slices.DeleteFunc(p.siteGuards(f, s), func(g lockset.Guard) bool { return !hasLock(named, g) }); len(h) > 0 {
			held = append(held, h)
		}
	}
	for _, g := range named {
		with := slices.ContainsFunc(held, func(h []lockset.Guard) bool { return hasLock(h, g) })
		without := slices.ContainsFunc(held, func(h []lockset.Guard) bool { return !hasLock(h, g) })
		if with && !(without && f.hasSections(g)) && !hasLock(f.Entry, g) {
			f.Entry = append(f.Entry, g)
		}
	}
}

// hasSections reports whether f takes other locks than g, so that g only joins its sections. If it takes none, g is what guards its
// accesses; and it may take g itself for the callers that do not hold it:
//
//	func (s *S) nameLocked(needLock bool) string { if needLock { s.mu.Lock(); defer s.mu.Unlock() } … }
func (f *Func) hasSections(g lockset.Guard) bool {
	return len(f.Takings()) > 0 && !slices.ContainsFunc(f.Takings(), func(t funcsum.Taking) bool { return t.Class == g.Class })
}

// hasLock reports whether a lock is in a list.
func hasLock(list []lockset.Guard, g lockset.Guard) bool {
	return slices.ContainsFunc(list, func(h lockset.Guard) bool { return h.Class == g.Class && h.Path == g.Path })
}

// open finds the functions that may be called from outside the package, or from an
// unknown place.
func (p *Processes) open(sites [][]site) []bool {
	open := make([]bool, len(p.Funcs))
	for i, f := range p.Funcs {
		open[i] = f.Named || p.Entered(f.Node) || !slices.ContainsFunc(sites[i], func(s site) bool {
			return s.call.Instr != nil || s.call.Kind == fact.Called && s.caller.Flow != nil && f.Fn.Parent() == nil
		})
		for _, s := range sites[i] {
			if s.call.Kind != fact.Called {
				open[i] = true
			}
		}
	}
	return open
}

// namedLocked returns the locks of the receiver if the function's name ends in Locked and
// the function is never used as a value: by convention its callers hold them.
func (p *Processes) namedLocked(f *Func) []lockset.Guard {
	recv := f.Fn.Signature.Recv()
	if recv == nil || !strings.HasSuffix(f.Fn.Name(), "Locked") || f.Named {
		return nil
	}
	return mutexes(recv.Type())
}

// meet intersects the locks held at the sites of f, in the terms of f.
func (p *Processes) meet(f *Func, sites []site, known []bool) ([]lockset.Guard, bool) {
	var entry []lockset.Guard
	any := false
	// A test may call a function without the lock it needs, while the object is confined
	// to the test. If only tests call it, their sites count.
	tested := !f.Test && slices.ContainsFunc(sites, func(s site) bool { return !s.caller.Test })
	for _, s := range sites {
		if s.fresh || s.call.Instr == nil || tested && s.caller.Test {
			continue // no interference before publication; or not a call
		}
		if !known[s.caller.ID] {
			continue
		}
		held := p.siteGuards(f, s)
		if !any {
			entry, any = held, true
			continue
		}
		entry = inBoth(entry, held)
	}
	return entry, any
}

// inBoth returns the guards that are in both lists. Of the locks of one table, each under a key of its own, it keeps that
// some lock of the table is held:
//
//	s.keys.lock(id); s.change(id, n)                               // s.keys.locks[id]
//	first, second := sorted(a, b); s.keys.lock(first); s.change(a, n) // s.keys.locks[first]
//
// That it is the lock of the element which the function changes is assumed: a lock of another key would guard nothing.
func inBoth(entry, held []lockset.Guard) []lockset.Guard {
	var out []lockset.Guard
	for _, g := range entry {
		if hasLock(held, g) {
			out = append(out, g)
			continue
		}
		table := ofAnyKey(g.Path)
		if table != accesspath.Unknown && table.HasAny() && slices.ContainsFunc(held, func(h lockset.Guard) bool { return h.Class == g.Class && ofAnyKey(h.Path) == table }) {
			g.Path = table
			out = append(out, g)
		}
	}
	return out
}

// ofAnyKey returns a path with [*] for all keys that are no constants.
func ofAnyKey(p accesspath.Path) accesspath.Path {
	root := p.Root()
	return p.Substitute(func(r accesspath.Path) accesspath.Path {
		if r == root {
			return r
		}
		return accesspath.Unknown
	})
}

// siteGuards returns the guards held at a site in the terms of the callee f. A guard
// whose path has no counterpart in f keeps its class only.
func (p *Processes) siteGuards(f *Func, s site) []lockset.Guard {
	if _, ok := s.call.Instr.(*ssa.Go); ok {
		return nil
	}
	var out []lockset.Guard
	add := func(g lockset.Guard) {
		g.Path = p.inCallee(f, s, g.Path)
		if g.Path == accesspath.Unknown && g.Class == "" {
			return
		}
		if !hasLock(out, g) {
			out = append(out, g)
		}
	}
	for _, g := range s.held {
		add(g)
	}
	for _, g := range s.caller.Entry {
		// The lock state has a lock that the caller itself releases.
		if s.caller.Flow == nil || !s.caller.Flow.InState(g.Path) {
			add(g)
		}
	}
	return out
}
