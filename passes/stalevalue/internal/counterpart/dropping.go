package counterpart

import (
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// Drops returns a function that deletes from a container because of a count in the object,
// which it reads:
//
//	if o.users.Add(-1) == 0 {
//		t.mu.Lock(); delete(t.objects, o.id); t.mu.Unlock()
//	}
func (p *Finder) Drops(container, count accesspath.Location) (fact.Writer, bool) {
	if p.drops == nil {
		p.drops = make(pairing[fact.Writer])
		for f := range p.Sharing() {
			p.findDrops(f)
		}
	}
	w, ok := p.drops[container][count]
	return w, ok
}

func (p *Finder) findDrops(f *process.Func) {
	for _, e := range f.Events {
		if e.Op&fact.Delete == 0 {
			continue
		}
		for _, i := range e.Control {
			r := f.Events[i]
			if info := p.Location(r.Loc); !r.Reads() || r.Loc == e.Loc || info.Constant() || !info.Counter {
				continue
			}
			by := f.Writer(e)
			by.Guards = f.Locks(e)
			p.drops.add(e.Loc, r.Loc, by)
		}
	}
}
