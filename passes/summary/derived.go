package summary

import "github.com/atomvet/atomvet/passes/internal/accesspath"

// A derivation says that a region computes the one location from what it reads of the
// other: s.quota = newQuota(s.limit - len(s.active)).
type derivation struct{ to, from accesspath.Location }

// Derives returns a writer of location x that computes it from location y in one
// region.
func (p *Package) Derives(x, y accesspath.Location) (Writer, bool) {
	if p.derived == nil {
		p.derived = make(map[derivation]Writer)
		for f := range p.sharing() {
			p.derivations(f)
		}
	}
	w, ok := p.derived[derivation{x, y}]
	return w, ok
}

func (p *Package) derivations(f *Func) {
	for _, w := range f.Events {
		if !w.Writes() || w.Callee != nil || w.delta || w.Key != "" {
			continue
		}
		for _, i := range w.Data {
			r := f.Events[i]
			k := derivation{w.Loc, r.Loc}
			if _, known := p.derived[k]; !known && r.Loc != w.Loc && SharePassage(r, w) {
				by := f.writer(w)
				by.Guards = f.Locks(w)
				p.derived[k] = by
			}
		}
	}
}
