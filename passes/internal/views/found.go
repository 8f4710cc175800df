// Package views finds which locations of a package belong together: the views of its
// critical sections (Artho, Havelund, Biere, High-level data races), told apart by reads
// and writes and by common correlation (Dias, Pessanha, Lourenço, Precise detection of
// atomicity violations), and by them the locations that are kept consistent with each
// other.
package views

import (
	"slices"
	"sync"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/guards"
)

// A ViewPackage knows which locations of a package belong together.
type Views struct {
	*guards.Guards
	Locs        map[accesspath.Location]*fact.LocInfo
	All         []*fact.View
	accessViews func() []*fact.View // see AccessViews
	correlation *correlation        // see Loose
	answers     map[pairQuestion]bool
	// viewIndex has the views by location, those of other packages as far as
	// they were asked for.
	viewIndex map[accesspath.Location][]*fact.View
}

// NewViews finds the views of a package, and by them what belongs together.
func NewViews(guards *guards.Guards) *Views {
	find := finder{Guards: guards}
	find.findViews()
	p := &Views{
		Guards:    guards,
		Locs:      make(map[accesspath.Location]*fact.LocInfo, len(guards.Locs)),
		All:       find.views,
		answers:   make(map[pairQuestion]bool),
		viewIndex: make(map[accesspath.Location][]*fact.View),
	}
	p.accessViews = sync.OnceValue(func() []*fact.View {
		find := finder{Guards: guards}
		find.findAccessViews()
		return find.views
	})
	p.indexViews(p.All)
	p.correlation = p.correlate()
	p.joint()
	p.together()
	for _, info := range p.Locs {
		sortLists(info)
	}
	return p
}

// info returns the entry for a location that the package writes.
func (p *Views) info(l accesspath.Location) *fact.LocInfo {
	i := p.Locs[l]
	if i == nil {
		i = new(fact.LocInfo)
		if old := p.Guards.Location(l); old != nil {
			*i = *old
			i.Joint, i.Together = slices.Clone(old.Joint), slices.Clone(old.Together)
		}
		i.Loc = l
		p.Locs[l] = i
	}
	return i
}

// Location returns what is known about a location, or nil.
func (p *Views) Location(l accesspath.Location) *fact.LocInfo {
	if i := p.Locs[l]; i != nil {
		return i
	}
	return p.Guards.Location(l)
}

// Exposed reports whether the function of a view may run at the same time as
// functions of other packages.
func (p *Views) Exposed(v *fact.View) bool { return v.Fn < 0 || !p.Procs.Alone(v.Fn) }
