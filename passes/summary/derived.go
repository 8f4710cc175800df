package summary

import "github.com/atomvet/atomvet/passes/internal/accesspath"

// Derives returns a writer of location x that computes it from location y in one
// region: s.quota = newQuota(s.limit - len(s.active)).
func (p *GuardPackage) Derives(x, y accesspath.Location) (Writer, bool) {
	if p.derived == nil {
		p.derived = make(pairing[Writer])
		for f := range p.sharing() {
			p.derivations(f)
		}
	}
	w, ok := p.derived[x][y]
	return w, ok
}

func (p *GuardPackage) derivations(f *Func) {
	for _, w := range f.Events {
		if !w.Writes() || w.Callee != nil || w.Delta() || w.Key != "" {
			continue
		}
		for _, i := range w.Data {
			r := f.Events[i]
			if r.Loc != w.Loc && SharePassage(r, w) {
				by := f.writer(w)
				by.Guards = f.Locks(w)
				p.derived.add(w.Loc, r.Loc, by)
			}
		}
	}
}
