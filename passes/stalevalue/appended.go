package stalevalue

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// appends reports whether the act appends to a list, in the function or in a callee.
func (p *pair) appends() bool { return p.act.Key == "" && !p.act.Delta() && len(p.appended()) > 0 }

// appended returns the values that the act appends, in the function or in the callee which does.
func (p *pair) appended() []ssa.Value {
	known, ok := p.d.appended[p.act]
	if !ok {
		known = p.d.findAppended(p.act)
		p.d.appended[p.act] = known
	}
	return known
}

func (d *detector) findAppended(w *summary.Event) []ssa.Value {
	for _, e := range d.others.Descent(d.f, w) {
		if len(e.Inputs) > 0 && ssautil.IsAppend(e.Inputs[0]) {
			return e.Added
		}
	}
	return nil
}
