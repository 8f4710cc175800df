package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/summary"
)

// isOutdated: what is computed of a variable is stored in another one, which holds nothing else, and those who change the variable have it computed
// anew afterwards.
//
//	func (s *Server) apply() {
//		routes := merge(s.snapshot()) // of s.configs, under s.mu
//		s.routes.Store(routes)        // WRONG: another run may have stored what was computed later
//	}
//
//	func (s *Server) Update(name string, c Config) {
//		s.mu.Lock(); s.configs[name] = c; s.mu.Unlock()
//		s.apply()
//	}
//
// The run that reads first may store last, and the newer change is in force only after the next one. An act that looks at what is there may refuse the
// older result.
func (p *pair) isOutdated() bool {
	r, w := p.read, p.act
	if !p.data || r.Loc == w.Loc || w.Key != "" || w.Const != "" || w.Delta() || w.Op&(summary.Delete|summary.Content) != 0 || len(w.Added) > 0 || w.Base.IsLocal() ||
		r.Key != "" || r.Writes() || p.d.oneSection(r, w) {
		return false
	}
	c := candidate{*p, outdatedResult}
	if c.decidesItself() || slices.ContainsFunc(p.d.pkg.Location(w.Loc).Writers, func(o summary.Writer) bool { return !c.makesAct(&o) }) {
		return false
	}
	return slices.ContainsFunc(p.d.pkg.Funcs, func(g *summary.Func) bool {
		return p.d.changesAndCalls(g, func(w *summary.Event) bool { return w.Loc == r.Loc })
	})
}

// hasItComputed: the rival, or a function that calls it, has the result computed anew after the change, by another run of the function.
func (r rival) hasItComputed() bool {
	makes := func(w *summary.Event) bool {
		return w.Loc == r.writer.Loc && (w.Pos.Text == r.writer.Pos.Text || w.Callee != nil && w.Callee.Accesses[w.Index].Pos.Text == r.writer.Pos.Text)
	}
	return r.d.pkg.Processes().BesideItself(r.d.f, r.base) &&
		slices.ContainsFunc(r.d.pkg.Funcs, func(g *summary.Func) bool { return r.d.changesAndCalls(g, makes) })
}

// changesAndCalls reports whether a function makes such a write, and then calls the function.
func (d *detector) changesAndCalls(g *summary.Func, is func(w *summary.Event) bool) bool {
	if g.Test {
		return false
	}
	return slices.ContainsFunc(g.Calls, func(c callgraph.Call) bool {
		return c.Kind == summary.Called && c.Callee == d.f.ID && slices.ContainsFunc(g.Events, func(w *summary.Event) bool {
			return w.Writes() && is(w) && w.Instr != ssa.Instruction(c.Instr) && g.Order().Flows(w.Instr, c.Instr)
		})
	})
}
