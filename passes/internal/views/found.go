// Package views infers which locations of a package belong together: the views of its
// critical sections (Artho, Havelund, Biere, High-level data races), separated by reads
// and writes and by common correlation (Dias, Pessanha, Lourenço, Precise detection of
// atomicity violations), and from the views the locations that are kept consistent with
// each other.
package views

import (
	"slices"
	"sync"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/guards"
)

// Views has the views of a package, and which of its locations belong together.
type Views struct {
	*guards.Guards
	// Locs has the locations that belong together with others, with their guards.
	Locs map[accesspath.Location]*fact.LocInfo
	// All are the views of the package, except the access views.
	All         []*fact.View
	accessViews func() index // see AccessViews
	correlation *correlation // see Loose
	answers     map[pairQuestion]bool
	// views are All. Those of another package are added on the first request.
	views index
}

// NewViews computes the views of a package, and from them which locations belong
// together.
func NewViews(guards *guards.Guards) *Views {
	find := finder{Guards: guards}
	find.findViews()
	p := &Views{
		Guards:  guards,
		Locs:    make(map[accesspath.Location]*fact.LocInfo, len(guards.Locs)),
		All:     find.views,
		answers: make(map[pairQuestion]bool),
		views:   make(index),
	}
	p.accessViews = sync.OnceValue(func() index {
		find := finder{Guards: guards}
		find.findAccessViews()
		x := make(index)
		x.add(find.views)
		return x
	})
	p.views.add(p.All)
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
		if old := p.Guards.Known(l); old != nil {
			*i = *old
			i.Joint, i.Together = slices.Clone(old.Joint), slices.Clone(old.Together)
		}
		i.Loc = l
		p.Locs[l] = i
	}
	return i
}

// Location returns what is known about a location, see [fact.LocInfo.OrNothing].
func (p *Views) Location(l accesspath.Location) *fact.LocInfo { return p.Known(l).OrNothing() }

// Known returns what is known about a location, or nil.
func (p *Views) Known(l accesspath.Location) *fact.LocInfo {
	if i := p.Locs[l]; i != nil {
		return i
	}
	return p.Guards.Known(l)
}

// Exposed reports whether the function of a view may run concurrently with functions of
// other packages.
func (p *Views) Exposed(v *fact.View) bool { return v.Fn < 0 || !p.Procs.Alone(v.Fn) }
