package guards

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A monotone flag freezes a location if each writer tests the flag in the critical section of the write, and does not write once the flag
// is set. A goroutine that has found the flag set has no rival for the location any more.
//
//	func (b *Box) Cast(name string) { // under b.mu
//		if b.sealed { return }
//		b.votes[name]++
//	}
//
//	if !b.Sealed() { return 0, errOpen }
//	return b.Votes(name) / b.Turnout(), nil // each under b.mu

// Frozen reports whether f has found, where it makes an access, that writer w does not write any more.
func (p *Guards) Frozen(f *process.Func, at *funcsum.Event, w *fact.Writer) bool {
	if w.Fn < 0 {
		return false
	}
	set, g := p.setBefore(f, at), p.Funcs[w.Fn]
	if len(set) == 0 {
		return false
	}
	e := g.WriteOf(w)
	return e != nil && p.freezes(set, g, e)
}

// FrozenView reports whether f has found, where it makes an access, that the function of a view does not write the variables of the
// view any more.
func (p *Guards) FrozenView(f *process.Func, at *funcsum.Event, v *fact.View) bool {
	if v.Fn < 0 {
		return false
	}
	set, g := p.setBefore(f, at), p.Funcs[v.Fn]
	if len(set) == 0 {
		return false
	}
	written := false
	for _, e := range g.Events {
		if e.Writes() && slices.ContainsFunc(v.Vars, func(x fact.Var) bool { return x.Loc == e.Loc }) {
			if !p.freezes(set, g, e) {
				return false
			}
			written = true
		}
	}
	return written
}

// freezes reports whether one of the flags, if it is set, keeps g from a write.
func (p *Guards) freezes(flags []accesspath.Location, g *process.Func, write *funcsum.Event) bool {
	return slices.ContainsFunc(p.clearBefore(g, write), func(flag accesspath.Location) bool { return slices.Contains(flags, flag) })
}

// setBefore returns the monotone flags that f has found set at an access of an object. The object of an access is what the function was
// given, and the flag is a field of it: what is found on the way to another object may be replaced meanwhile.
func (p *Guards) setBefore(f *process.Func, at *funcsum.Event) []accesspath.Location {
	return p.testedFlags(p.flagTests.set, f, at, func(test *funcsum.Event, flag *fact.LocInfo) bool {
		return f.Knows(test, at.Instr.Block(), func(is branch.Fact) bool {
			return is.Relation == branch.Equal && is.Const != nil && !is.Length && is.Const.ExactString() == flag.Latch
		})
	})
}

// clearBefore returns the monotone flags which g must find clear before it makes a write, in a section that keeps those out who set them.
func (p *Guards) clearBefore(g *process.Func, write *funcsum.Event) []accesspath.Location {
	return p.testedFlags(p.flagTests.clear, g, write, func(test *funcsum.Event, flag *fact.LocInfo) bool {
		isClear := func(is branch.Fact) bool {
			if is.Const == nil || is.Length {
				return false
			}
			latched := is.Const.ExactString() == flag.Latch
			return is.Relation == branch.Differs && latched || is.Relation == branch.Equal && !latched
		}
		return g.Knows(test, write.Instr.Block(), isClear) && slices.ContainsFunc(g.Held(test, write), func(held lockset.Guard) bool {
			return held.Mode != lockset.Shared && slices.Contains(flag.Guards, held.Class)
		})
	})
}

// testedFlags returns the monotone flags of the object of an access which f reads with a result that satisfies a condition. It is asked once
// for an access, and known has the answers.
func (p *Guards) testedFlags(known map[*funcsum.Event][]accesspath.Location, f *process.Func, at *funcsum.Event, holds func(test *funcsum.Event, flag *fact.LocInfo) bool) []accesspath.Location {
	if !isRoot(at.Base) {
		return nil
	}
	flags, ok := known[at]
	if ok {
		return flags
	}
	for _, test := range f.Events {
		if test.Reads() && test.Key == "" && test.Base == at.Base && !slices.Contains(flags, test.Loc) {
			if flag := p.Locs[test.Loc]; flag != nil && isLatch(flag) && holds(test, flag) {
				flags = append(flags, test.Loc)
			}
		}
	}
	known[at] = flags
	return flags
}

// isLatch reports whether a location, once it has a certain value other than nil, keeps it.
func isLatch(info *fact.LocInfo) bool {
	return !info.Constant() && info.Latch != "" && info.Latch != "nil"
}

// isRoot reports whether a path names a parameter, or another object that a function has from the beginning.
func isRoot(object accesspath.Path) bool {
	return object != accesspath.Unknown && object == object.Root()
}
