package process

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

// An arrival is how control comes to a function while another one runs: the root that reaches
// it, such as a go statement or an exported function. A message that names a rival names its
// arrival, as a reader has to find out first whether the rival can run there at all.

// Arrival says, as a relative clause, how the function of writer w comes to run beside f, or
// returns "" if that is not known. It is about the object at base.
func (p *Processes) Arrival(f *Func, base accesspath.Path, w *fact.Writer) string {
	if w.Fn < 0 {
		return ""
	}
	g, of := p.written(w)
	_, r, ok := p.rootsOf(f, base, g, of)
	if !ok {
		return ""
	}
	name := callgraph.Name(p.Funcs[r.Func].Fn)
	switch {
	case r.Go && r.at.IsValid():
		return "which the goroutine started at " + p.Pos(r.at).Text + " runs"
	case r.API && r.Func == w.Fn:
		return "which is exported"
	case r.API:
		return "which the exported " + name + " calls"
	case r.Main:
		return "which " + name + " calls"
	case r.Uncalled && r.Func == w.Fn:
		return "whose callers are not known"
	case r.Uncalled:
		return "which " + name + " calls, whose callers are not known"
	case r.Func == w.Fn:
		return "which is used as a function value"
	}
	return "which " + name + ", used as a function value, calls"
}

// Twice names the roots of two runs of f on the object at base at the same time. It returns "" if
// they are not known.
func (p *Processes) Twice(f *Func, base accesspath.Path) string {
	a, b, ok := p.rootsOf(f, base, f, base)
	if !ok {
		return ""
	}
	one, two := p.entryName(a), p.entryName(b)
	switch {
	case one == "" || two == "":
		return ""
	case one != two:
		return fmt.Sprintf("%s and %s may do this at once", one, two)
	case a.Go:
		return fmt.Sprintf("several goroutines started at %s may do this at once", p.Pos(a.at).Text)
	}
	return fmt.Sprintf("two calls of %s may do this at once", one)
}

// entryName names a root as the subject of a sentence.
func (p *Processes) entryName(r Root) string {
	name := callgraph.Name(p.Funcs[r.Func].Fn)
	switch {
	case r.Go && r.at.IsValid():
		return "the goroutine started at " + p.Pos(r.at).Text
	case r.Go:
		return ""
	case r.API:
		return "the exported " + name
	case r.Main, r.Uncalled:
		return name
	}
	return "the function value " + name
}

// rootsOf returns roots of f and of other that let the two run at the same time, on the objects
// at base and at of, the ones that say most: a goroutine of this package, then what its users call.
func (p *Processes) rootsOf(f *Func, base accesspath.Path, other *Func, of accesspath.Path) (Root, Root, bool) {
	type both struct{ i, j int }
	var found []both
	g := p.Procs
	for _, j := range g.reach[other.ID] {
		for _, i := range g.reach[f.ID] {
			if !p.separates(i, f, base, j, other, of) && g.together(i, f.ID, j, other.ID) {
				found = append(found, both{i, j})
			}
		}
	}
	if len(found) == 0 {
		return Root{}, Root{}, false
	}
	best := slices.MinFunc(found, func(x, y both) int {
		return (g.roots[x.i].obscurity()*4 + g.roots[x.j].obscurity()*5) - (g.roots[y.i].obscurity()*4 + g.roots[y.j].obscurity()*5)
	})
	return g.roots[best.i], g.roots[best.j], true
}

// together reports whether what root i runs of a may run beside what root j runs of b.
func (g *Graph) together(i, a, j, b int) bool {
	return !separate(g.roots[i], g.roots[j]) && !g.precedes(i, a, j) && !g.precedes(j, b, i)
}

// obscurity says how little a reader learns from a root.
func (r Root) obscurity() int {
	switch {
	case r.Go && r.at.IsValid() && !r.Test:
		return 0
	case r.API:
		return 1
	case r.Main && !r.Test:
		return 2
	}
	return 3
}

// position returns where a root starts, if that is a statement of the package.
func position(s site) token.Pos {
	if s.call.Instr == nil {
		return token.NoPos
	}
	return s.call.Instr.Pos()
}
