package handoff

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
)

// started returns the acts of the goroutines that f starts. What a goroutine is started with is
// its message: its arguments, and the variables that it has captured.
//
//	n := s.get()
//	go func() { s.set(n + 1) }()
func started(p *funcsum.Summaries, f *funcsum.Body) []Act {
	var out []Act
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			for _, c := range p.StartedAt(f, instr) {
				if c.Fn != nil && !c.May && c.Via == nil {
					out = append(out, startedWith(p, f, instr, c)...)
				}
			}
		}
	}
	return out
}

// carriedOut returns the acts of a function that is sent, or is a field of the message, and that
// the receiver calls.
//
//	s.ops <- func() { s.set(n + 1) } // for op := range s.ops { op() }
func carriedOut(p *funcsum.Summaries, f *funcsum.Body, s *send, r *reception, x *crossing) []Act {
	var out []Act
	for _, call := range r.calls() {
		it := s.message(call.field)
		if it.whole == nil || it.field != "" {
			continue
		}
		fn, mc, via := p.FuncValue(f.Node, it.whole)
		if fn == nil || via != nil {
			continue
		}
		for _, c := range p.Static(fn, nil, mc) {
			if c.Fn == nil {
				continue
			}
			for _, a := range startedWith(p, f, s.instr, c) {
				for _, g := range call.held {
					a.Holds = append(a.Holds, hold(g.Rename(x.path), a.Ord))
				}
				a.Receiver, a.to, a.Sent, a.Listed, a.Await = r.in, s.to, true, s.listed, s.await
				out = append(out, a)
			}
		}
	}
	return out
}

// startedWith returns the acts of a function that runs because of an instruction of f.
func startedWith(p *funcsum.Summaries, f *funcsum.Body, instr ssa.Instruction, c callgraph.Callee) []Act {
	g := p.Funcs[c.Fn.ID]
	var out []Act
	for _, w := range g.Events {
		if !w.Writes() {
			continue
		}
		e := event(instr, w)
		e.Loc = w.Loc
		e.Base, e.Path, e.Key = p.Translate(f, c, w.Base), p.Translate(f, c, w.Path), p.TranslateKey(f, c, w.Key)
		for _, held := range w.Holds {
			e.Holds = append(e.Holds, hold(p.TranslateGuard(f, c, held.Guard), e.Ord))
		}
		e.Inputs, e.Conditions = given(f, g, c, valuesOf(w)), given(f, g, c, g.Conditions(w))
		if a, ok := complete(f, e, w); ok {
			a.By, a.Receiver, a.Access, a.Await = g, g, w, awaitAfter(f, instr)
			a.Compared = isCompared(f, g, c, w) || isExtreme(g, w)
			out = append(out, a)
		}
	}
	return out
}

// given returns the values of f that values of the goroutine depend on.
func given(f, g *funcsum.Body, c callgraph.Callee, values []ssa.Value) []ssa.Value {
	out := argumentsFor(g, c, values)
	for _, v := range values {
		for _, w := range g.Slice(v) {
			if w.Parent() == f.Fn && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// isCompared reports whether the goroutine compares something that it was started with with
// shared memory, which it reads in the section of the write.
func isCompared(f, g *funcsum.Body, c callgraph.Callee, w *funcsum.Event) bool {
	for _, i := range w.Control {
		e := g.Events[i]
		if !funcsum.SharePassage(e, w) {
			continue
		}
		if w.Callee != nil && e.Instr == w.Instr {
			return len(given(f, g, c, w.Conditions)) > 0
		}
		if e.Key == "" && slices.ContainsFunc(g.Branches(w), func(br *ssa.If) bool {
			return g.Slice(br.Cond).HasAny(e.Values) && len(given(f, g, c, []ssa.Value{br.Cond})) > 0
		}) {
			return true
		}
	}
	return false
}
