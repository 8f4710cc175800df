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
	g := p.Funcs[w.Fn]
	e := g.WriteOf(w)
	return e != nil && p.frozen(f, at, g, e)
}

// FrozenView reports whether f has found, where it makes an access, that the function of a view does not write the variables of the
// view any more.
func (p *Guards) FrozenView(f *process.Func, at *funcsum.Event, v *fact.View) bool {
	if v.Fn < 0 {
		return false
	}
	g := p.Funcs[v.Fn]
	written := false
	for _, e := range g.Events {
		if e.Writes() && slices.ContainsFunc(v.Vars, func(x fact.Var) bool { return x.Loc == e.Loc }) {
			if !p.frozen(f, at, g, e) {
				return false
			}
			written = true
		}
	}
	return written
}

// frozen reports whether f knows at an access of an object that g does not make the write any more. Both objects are what the functions
// were given, and the flag is a field of them: what is found on the way to another object may be replaced meanwhile.
func (p *Guards) frozen(f *process.Func, at *funcsum.Event, g *process.Func, write *funcsum.Event) bool {
	if !isRoot(at.Base) || !isRoot(write.Base) {
		return false
	}
	return slices.ContainsFunc(f.Events, func(found *funcsum.Event) bool {
		if !found.Reads() || found.Key != "" || found.Base != at.Base {
			return false
		}
		info := p.Locs[found.Loc]
		if info == nil || info.Constant() || info.Latch == "" || info.Latch == "nil" {
			return false
		}
		isSet := func(is branch.Fact) bool {
			return is.Relation == branch.Equal && is.Const != nil && !is.Length && is.Const.ExactString() == info.Latch
		}
		return f.Knows(found, at.Instr.Block(), isSet) && p.asksFirst(g, write, info)
	})
}

// isRoot reports whether a path names a parameter, or another object that a function has from the beginning.
func isRoot(object accesspath.Path) bool {
	return object != accesspath.Unknown && object == object.Root()
}

// asksFirst reports whether g only makes a write if a flag is not set, in a section that keeps those out who set it.
func (p *Guards) asksFirst(g *process.Func, write *funcsum.Event, flag *fact.LocInfo) bool {
	isClear := func(is branch.Fact) bool {
		if is.Const == nil || is.Length {
			return false
		}
		latched := is.Const.ExactString() == flag.Latch
		return is.Relation == branch.Differs && latched || is.Relation == branch.Equal && !latched
	}
	return slices.ContainsFunc(g.Events, func(asked *funcsum.Event) bool {
		return asked.Reads() && asked.Key == "" && asked.Loc == flag.Loc && asked.Base == write.Base && g.Knows(asked, write.Instr.Block(), isClear) &&
			slices.ContainsFunc(g.Held(asked, write), func(held lockset.Guard) bool {
				return held.Mode != lockset.Shared && slices.Contains(flag.Guards, held.Class)
			})
	})
}
