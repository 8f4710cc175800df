package counterpart

import (
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A Check is a write that a function makes only if it has found something in another variable.
type Check struct {
	Func        *process.Func
	Read, Write *funcsum.Event
	ReadIndex   int
	Writer      fact.Writer // that makes the write
	Direct      bool        // no other branch decides between the two
}

// Checks returns the writes of y that the functions of the package decide by what they find in x.
func (p *Finder) Checks(x, y accesspath.Location) []Check {
	if p.checks == nil {
		p.checks = make(map[accesspath.Location]map[accesspath.Location][]Check)
		for f := range p.Sharing() {
			p.checksOf(f)
		}
	}
	return p.checks[x][y]
}

func (p *Finder) checksOf(f *process.Func) {
	for _, w := range f.Events {
		if !w.Writes() || w.Base == accesspath.Unknown {
			continue
		}
		for _, i := range w.Control {
			r := f.Events[i]
			if r.Loc == w.Loc && accesspath.Same(r.Base, w.Base) || r.Base == accesspath.Unknown || !f.Decides(r, w.Instr.Block()) {
				continue
			}
			if p.checks[r.Loc] == nil {
				p.checks[r.Loc] = make(map[accesspath.Location][]Check)
			}
			by := withLocks(f, w)
			p.checks[r.Loc][w.Loc] = append(p.checks[r.Loc][w.Loc], Check{f, r, w, i, by, f.LeadsTo(r, w.Instr.Block())})
		}
	}
}
