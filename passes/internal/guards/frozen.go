package guards

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A flag that is never cleared freezes what is only written if it is not set, in the critical section that asks for it. Who has found
// the flag set finds no writer any more.
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

// frozen reports whether f knows at an access of an object that g does not make the write any more.
func (p *Guards) frozen(f *process.Func, at *funcsum.Event, g *process.Func, write *funcsum.Event) bool {
	return slices.ContainsFunc(f.Events, func(found *funcsum.Event) bool {
		if !found.Reads() || !accesspath.Same(found.Base, at.Base) {
			return false
		}
		info := p.Locs[found.Loc]
		if info == nil || info.Constant() || info.Latch == "" || info.Latch == "nil" {
			return false
		}
		isSet := func(is branch.Fact) bool {
			return is.Relation == branch.Equal && is.Const != nil && is.Const.ExactString() == info.Latch
		}
		return f.Knows(found, at.Instr.Block(), isSet) && p.asksFirst(g, write, info)
	})
}

// asksFirst reports whether g only makes a write if a flag is not set, in a section that keeps those out who set it.
func (p *Guards) asksFirst(g *process.Func, write *funcsum.Event, flag *fact.LocInfo) bool {
	isClear := func(is branch.Fact) bool {
		return is.Const != nil && (is.Relation == branch.Differs) == (is.Const.ExactString() == flag.Latch)
	}
	return slices.ContainsFunc(g.Events, func(asked *funcsum.Event) bool {
		return asked.Reads() && asked.Loc == flag.Loc && accesspath.Same(asked.Base, write.Base) && g.Knows(asked, write.Instr.Block(), isClear) &&
			slices.ContainsFunc(g.HeldThrough(asked, write), func(l accesspath.Location) bool { return slices.Contains(flag.Guards, l) })
	})
}
