package announce

import (
	"go/token"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A giver is a function that gives a signal, and where it is given: there or in a callee.
type giver struct {
	f            *process.Func
	kind         Kind
	site, origin token.Pos
}

// Accompanied counts the places of the package that give a signal like s, and those of them
// that are reached in a function which writes a location, too, in whatever order. To set a flag and to
// clear it count alike. If once is set, calls of one function that gives the signal are one place: an object of its callee may
// have no name where that is called in turn.
func (p *Finder) Accompanied(s *Signal, l accesspath.Location, once bool) (with, all int) {
	places := make(map[token.Pos]bool)
	for _, g := range p.giversOf(s.At.Loc) {
		if g.kind == s.Kind {
			at := g.site
			if once {
				at = g.origin
			}
			places[at] = places[at] || p.writes(g.f, l)
		}
	}
	for _, w := range places {
		if all++; w {
			with++
		}
	}
	return with, all
}

// giversOf returns the givers of the signals that a location carries.
func (p *Finder) giversOf(l accesspath.Location) []giver {
	if p.givers == nil {
		p.givers = make(map[accesspath.Location][]giver)
		for f := range p.Sharing() {
			for _, s := range p.Signals(f) {
				p.givers[s.At.Loc] = append(p.givers[s.At.Loc], giver{f, s.Kind, s.Pos(), s.origin()})
			}
		}
	}
	return p.givers[l]
}

// writes reports whether f writes a location, itself or in callees.
func (p *Finder) writes(f *process.Func, l accesspath.Location) bool {
	known, ok := p.written[f]
	if !ok {
		known = make(map[accesspath.Location]bool)
		for _, e := range p.Written(f) {
			known[e.Loc] = true
		}
		p.written[f] = known
	}
	return known[l]
}
