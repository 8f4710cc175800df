package process

import (
	"fmt"
	"go/token"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
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
	_, r, ok := p.tellingRoots(Activity{F: f, Base: base}, Activity{F: g, Base: of})
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
	own := Activity{F: f, Base: base}
	a, b, ok := p.tellingRoots(own, own)
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

// Started reports whether f and the function of writer w run at the same time whatever the callers do, on the
// object at base: one of them is in a goroutine that the package starts, in a function value that it hands out,
// or in a function that waits in a loop. Otherwise that they do is assumed of the callers.
func (p *Processes) Started(f *Func, base accesspath.Path, w *fact.Writer) bool {
	if w.Fn < 0 {
		return false
	}
	g, of := p.written(w)
	return p.anyStarted(Activity{F: f, Base: base}, Activity{F: g, Base: of})
}

// StartedView is Started for access e of f and the function of a view.
func (p *Processes) StartedView(f *Func, e *funcsum.Event, v *fact.View) bool {
	if v.Fn < 0 {
		return false
	}
	return p.anyStarted(Activity{F: f, Base: e.Base}, Activity{F: p.Funcs[v.Fn], Base: baseIn(v, e.Loc)})
}

func (p *Processes) anyStarted(a, b Activity) bool {
	for i, j := range p.meetings(a, b) {
		if p.Procs.roots[i].Started || p.Procs.roots[j].Started {
			return true
		}
	}
	return false
}

// findStarted finds the roots beside which others run in any case: goroutines that the package starts,
// function values that it hands out, and functions that wait in a loop.
func (p *Processes) findStarted() {
	for i := range p.Procs.roots {
		r := &p.Procs.roots[i]
		r.Started = !r.Test && (!r.API && !r.Main && !r.Uncalled || p.waitsInLoop(p.Funcs[r.Func], 2))
	}
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

// tellingRoots returns the roots in which two activities meet, the ones that say most: a goroutine of this package, then
// what its users call.
func (p *Processes) tellingRoots(a, b Activity) (Root, Root, bool) {
	var best [2]Root
	least := -1
	for i, j := range p.meetings(a, b) {
		one, two := p.Procs.roots[i], p.Procs.roots[j]
		if n := one.obscurity()*4 + two.obscurity()*5; least < 0 || n < least {
			best, least = [2]Root{one, two}, n
		}
	}
	return best[0], best[1], least >= 0
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
