package summary

import (
	"slices"
	"sync"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// A ViewPackage knows which locations of a package belong together.
type ViewPackage struct {
	*GuardPackage
	locs        map[accesspath.Location]*LocInfo
	views       []*View
	accessViews func() []*View // see AccessViews
	correlation *correlation   // see Loose
	answers     map[pairQuestion]bool
	// viewIndex has the views by location, those of other packages as far as
	// they were asked for.
	viewIndex map[accesspath.Location][]*View
}

// NewViews finds the views of a package, and by them what belongs together.
func NewViews(guards *GuardPackage) *ViewPackage {
	find := finder{GuardPackage: guards}
	find.findViews()
	p := &ViewPackage{
		GuardPackage: guards,
		locs:         make(map[accesspath.Location]*LocInfo, len(guards.locs)),
		views:        find.views,
		answers:      make(map[pairQuestion]bool),
		viewIndex:    make(map[accesspath.Location][]*View),
	}
	p.accessViews = sync.OnceValue(func() []*View {
		find := finder{GuardPackage: guards}
		find.findAccessViews()
		return find.views
	})
	p.indexViews(p.views)
	p.correlation = p.correlate()
	p.joint()
	p.together()
	for _, info := range p.locs {
		sortLists(info)
	}
	return p
}

// info returns the entry for a location that the package writes.
func (p *ViewPackage) info(l accesspath.Location) *LocInfo {
	i := p.locs[l]
	if i == nil {
		i = new(LocInfo)
		if old := p.GuardPackage.Location(l); old != nil {
			*i = *old
			i.Joint, i.Together = slices.Clone(old.Joint), slices.Clone(old.Together)
		}
		i.Loc = l
		p.locs[l] = i
	}
	return i
}

// Location returns what is known about a location, or nil.
func (p *ViewPackage) Location(l accesspath.Location) *LocInfo {
	if i := p.locs[l]; i != nil {
		return i
	}
	return p.GuardPackage.Location(l)
}

// Exposed reports whether the function of a view may run at the same time as
// functions of other packages.
func (p *ViewPackage) Exposed(v *View) bool { return v.fn < 0 || !p.procs.Alone(v.fn) }
