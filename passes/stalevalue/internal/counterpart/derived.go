package counterpart

import (
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// Derives returns the writers of location x that compute the value from location y in the
// same critical section:
//
//	s.quota = newQuota(s.limit - len(s.active))
func (p *Finder) Derives(x, y accesspath.Location) []fact.Writer {
	return pairs(p, &p.derived, p.derivations)[x][y]
}

func (p *Finder) derivations(f *process.Func) {
	for _, w := range f.Events {
		if !w.Writes() || w.Callee != nil || w.Delta() || w.Key != "" {
			continue
		}
		for _, i := range w.Data {
			r := f.Events[i]
			if r.Loc != w.Loc && funcsum.SharePassage(r, w) {
				p.derived.add(w.Loc, r.Loc, withLocks(f, w))
			}
		}
	}
}
