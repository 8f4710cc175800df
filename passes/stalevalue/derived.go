package stalevalue

import (
	"slices"

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
// older result, and a function that goes round may compute it again.
func (p *pair) isOutdated() bool {
	r, w := p.read, p.act
	if !p.data || r.Loc == w.Loc || w.Key != "" || w.Const != "" || w.Delta() || w.Op&(summary.Delete|summary.Content) != 0 || len(w.Added) > 0 || w.Base.IsLocal() ||
		r.Key != "" || r.Writes() || p.d.oneSection(r, w) || p.d.f.Order().Flows(w.Instr, r.Instr) {
		return false
	}
	c := candidate{*p, outdatedResult}
	if c.decidesItself() || slices.ContainsFunc(p.d.pkg.Location(w.Loc).Writers, func(o summary.Writer) bool { return !c.makesAct(&o) }) {
		return false
	}
	return p.d.callsAfter(func(w *summary.Event) bool { return w.Loc == r.Loc })
}

// hasItComputed: the rival, or a function that calls it, has the result computed anew after the change, by another run of the function.
func (r rival) hasItComputed() bool {
	return r.d.pkg.Processes().BesideItself(r.d.f, r.base) && r.d.callsAfter(func(w *summary.Event) bool {
		return w.Loc == r.writer.Loc && (w.Pos.Text == r.writer.Pos.Text || isMadeInCallee(w, r.writer))
	})
}

// callsAfter reports whether some function makes such a write, and then calls the function.
func (d *detector) callsAfter(is func(w *summary.Event) bool) bool {
	for g, call := range d.pkg.Processes().Callers(d.f) {
		if slices.ContainsFunc(g.Events, func(w *summary.Event) bool {
			return w.Writes() && is(w) && w.Instr != call && g.Order().Flows(w.Instr, call)
		}) {
			return true
		}
	}
	return false
}
