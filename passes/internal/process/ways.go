package process

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/fact"
)

// Ways is the set of functions, by number, from which a chain of open calls leads to some function, that function included.
type Ways map[int]bool

// WaysTo returns the functions from which a chain of open calls leads to f, but for those that run in the function of a sync.Once.
func (p *Processes) WaysTo(f *Func, open func(caller *Func, at ssa.Instruction) bool) Ways {
	ways := Ways{}
	var visit func(f *Func)
	visit = func(f *Func) {
		if ways[f.ID] || f.RunsOnce() {
			return
		}
		ways[f.ID] = true
		for _, s := range p.sitesOf[f.ID] {
			if s.call.Instr != nil && s.call.Kind == fact.Called && !s.caller.Test && !p.beforePublication(s) && !slices.ContainsFunc(s.held, isOnce) && open(s.caller, s.call.Instr) {
				visit(s.caller)
			}
		}
	}
	visit(f)
	return ways
}

// MeetBy names two roots, a goroutine that the package starts and another one, or an exported function, in which an activity may happen at the
// same time, and from which ways lead to it.
func (p *Processes) MeetBy(a Activity, ways Ways) (one, two string, ok bool) {
	for i, j := range p.meetings(a, a) {
		r, s := p.Procs.roots[i], p.Procs.roots[j]
		if r.Func == s.Func || !r.Go && !s.Go || !isKnown(r) || !isKnown(s) || !ways[r.Func] || !ways[s.Func] || p.areAlternatives(r, s) {
			continue
		}
		if one, two = p.entryName(r), p.entryName(s); one != "" && two != "" {
			return one, two, true
		}
	}
	return "", "", false
}

// isKnown reports whether a root is a goroutine, or an exported function: of a function value it is not known when it is called.
func isKnown(r Root) bool { return !r.Test && (r.Go || r.API) }

// areAlternatives reports whether one function starts two goroutines, of which a run of it starts one.
//
//	if s.stopping { go func() { <-s.stopped; s.end() }(); return }
//	go s.end()
func (p *Processes) areAlternatives(r, s Root) bool {
	if !r.Go || !s.Go || r.starter != s.starter {
		return false
	}
	paths := p.Funcs[r.starter].Paths()
	return r.start == nil || s.start == nil || !paths.Reaches(r.start, s.start) && !paths.Reaches(s.start, r.start)
}
