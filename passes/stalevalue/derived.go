package stalevalue

import (
	"slices"

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
// The run that reads first may store last, and the newer change is in force only after the next one.
func (p *pair) isOutdated() bool {
	r, w := p.read, p.act
	if !p.data || r.Loc == w.Loc || w.Key != "" || w.Const != "" || w.Delta() || w.Op&(summary.Delete|summary.Content) != 0 || len(w.Added) > 0 || w.Base.IsLocal() ||
		r.Key != "" && !r.Key.HasAny() || r.Writes() || p.d.oneSection(r, w) {
		return false
	}
	c := candidate{pair: *p}
	if slices.ContainsFunc(p.d.pkg.Location(w.Loc).Writers, func(o summary.Writer) bool { return !c.makesAct(&o) }) {
		return false
	}
	return slices.ContainsFunc(p.d.pkg.Funcs, func(g *summary.Func) bool { return p.d.changesAndCalls(g, r) })
}

// changesAndCalls reports whether a function changes what e reads, and then calls the function.
func (d *detector) changesAndCalls(g *summary.Func, e *summary.Event) bool {
	if g.Test {
		return false
	}
	return slices.ContainsFunc(g.Calls, func(c callgraph.Call) bool {
		return c.Kind == summary.Called && c.Callee == d.f.ID && slices.ContainsFunc(g.Events, func(w *summary.Event) bool {
			return w.Writes() && w.Loc == e.Loc && g.Order().Flows(w.Instr, c.Instr)
		})
	})
}
