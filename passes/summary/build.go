package summary

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"golang.org/x/tools/go/ssa"
)

// Functions are summarized callees first. Functions that call each other, a strongly
// connected component of the call graph, start with summaries that say nothing, and are
// done again until their summaries stay the same. The calls are found while the
// functions are summarized, as in Tarjan's algorithm (SIAM J. Comput. 1972): which
// literals a callee calls, and on which objects, its summary tells.

// A builder makes the summaries of a package.
type builder struct {
	// active are the functions that are being summarized, each for the one before.
	active []*SumFunc
	// pending are those that have a first summary, but belong to a component whose
	// first function is still active, in the order in which they came to an end.
	pending []*SumFunc
	// begun counts the functions that have been begun.
	begun int
	// asking are the functions that are being analyzed, each for the one before.
	asking []*SumFunc
}

type buildState uint8

const (
	unbuilt buildState = iota
	building
	pending // in a component that is not finished
	built
)

// maxRounds bounds how often a component is done again. Paths that would grow are widened
// (see translate), so that most components need two or three rounds.
const maxRounds = 8

// Summarize makes the summaries of the functions of a package that can say something.
func Summarize(g *GraphPackage) *SumPackage {
	p := &SumPackage{
		GraphPackage: g,
		Funcs:        make([]*SumFunc, len(g.Funcs)),
		controls:     make(map[*ssa.Function]*depgraph.Control),
	}
	for i, f := range g.Funcs {
		p.Funcs[i] = &SumFunc{GraphFunc: f, in: p}
	}
	p.buildAll()
	return p
}

// summaryOf returns what is known of a callee, or nil.
func (p *SumPackage) summaryOf(c callee) *FuncSummary {
	if c.fn == nil {
		return c.sum
	}
	if !c.fn.relevant {
		return nil
	}
	p.build(p.of(c.fn))
	if n := len(p.asking); n > 0 {
		p.asking[n-1].asked[c.fn.id] = true
	}
	return p.of(c.fn).Sum
}

// buildAll summarizes the functions that share memory, those that they call, and those
// that call a function with locks in it.
func (p *SumPackage) buildAll() {
	for _, f := range p.Funcs {
		if f.shares {
			p.build(f)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.Funcs {
			if p.of(f.GraphFunc).state != built && p.callsLocks(f) {
				p.build(f)
				changed = true
			}
		}
	}
}

// callsLocks reports whether f calls a function of the package that has to do with locks.
func (p *SumPackage) callsLocks(f *SumFunc) bool {
	return slices.ContainsFunc(f.calls, func(c call) bool {
		g := p.Funcs[c.callee]
		return g.state == built && (len(g.Sum.Regions) > 0 || len(g.Sum.Effects) > 0 || len(g.Sum.Acquires) > 0 || g.Sum.Spawns)
	})
}

// build summarizes f, its literals and its callees, and the component of f if f is the
// first function of that.
func (p *SumPackage) build(f *SumFunc) {
	b := &p.builder
	switch f.state {
	case built:
		return
	case building, pending:
		if n := len(b.active); n > 0 {
			top := b.active[n-1]
			top.low = min(top.low, f.low)
			top.recursive = top.recursive || top == f
		}
		return
	}
	b.begun++
	f.state, f.index, f.low = building, b.begun, b.begun
	b.active = append(b.active, f)
	f.Sum = &FuncSummary{Name: Name(f.Fn)}
	p.analyze(f)
	b.active = b.active[:len(b.active)-1]
	if f.low < f.index {
		f.state = pending
		b.pending = append(b.pending, f)
		if n := len(b.active); n > 0 {
			b.active[n-1].low = min(b.active[n-1].low, f.low)
		}
		return
	}
	i := len(b.pending)
	for i > 0 && b.pending[i-1].index > f.index {
		i--
	}
	component := append(slices.Clone(b.pending[i:]), f)
	b.pending = b.pending[:i]
	p.finish(component)
}

// finish does the functions of a component again until their summaries stay the same:
// those that have asked for a summary which has changed since.
func (p *SumPackage) finish(component []*SumFunc) {
	changed := make(map[funcID]bool)
	for _, f := range component {
		f.state = built
		if len(component) > 1 || f.recursive {
			f.component = component[len(component)-1].index
			changed[f.id] = true
		}
	}
	for range maxRounds {
		next := make(map[funcID]bool)
		for _, f := range component {
			if p.of(f.GraphFunc).asksOneOf(changed) && p.again(f.GraphFunc) {
				changed[f.id], next[f.id] = true, true
			}
		}
		if len(next) == 0 {
			return
		}
		changed = next
	}
}

// asksOneOf reports whether the summary of f was made from that of one of the functions.
func (f *SumFunc) asksOneOf(changed map[funcID]bool) bool {
	for id := range f.asked {
		if changed[id] {
			return true
		}
	}
	return false
}

// again summarizes a function anew from the summaries that there are, and reports whether
// its own has changed. What is left out of a full summary can make two of them come in
// turn: one that was there before is no change.
func (p *SumPackage) again(f *GraphFunc) bool {
	old := p.of(f)
	now := &SumFunc{GraphFunc: f, in: p, Sum: old.Sum, state: built, component: old.component, seen: old.seen}
	p.Funcs[f.id] = now
	p.analyze(now)
	if now.seen == nil {
		now.seen = map[string]bool{encodeOne(old.Sum): true}
	}
	text := encodeOne(now.Sum)
	known := now.seen[text]
	now.seen[text] = true
	return !known
}

// analyze summarizes f by the summaries of its callees.
func (p *SumPackage) analyze(f *SumFunc) {
	f.asked = make(map[funcID]bool)
	p.asking = append(p.asking, f)
	defer func() { p.asking = p.asking[:len(p.asking)-1] }()
	for _, lit := range f.Fn.AnonFuncs {
		if g := p.byFn[lit]; g != nil && g.relevant {
			p.build(p.of(g))
		}
	}
	p.resolver(f)
	f.ops = p.lockOps(f)
	f.Flow = lockset.Analyze(f.Fn, f.Res, f.ops)
	f.takings = p.takingsOf(f)
	p.collect(f)
	p.dependencies(f)
	if !p.uncalled(f) {
		f.Sum = p.summarize(f)
	}
}

// confirmed returns f with all its callers known to hold the given locks: one of them
// that f may give up is one that it starts with.
func (p *SumPackage) confirmed(f *SumFunc, entry []lockset.Guard) *SumFunc {
	if f.state != built {
		return f
	}
	flow, news := f.Flow.Confirmed(entry)
	if !news {
		return f
	}
	out := &SumFunc{
		GraphFunc: f.GraphFunc, in: p, Sum: f.Sum, Res: f.Res, Flow: flow, state: built, component: f.component, published: f.published,
		callees: f.callees, ops: f.ops, takings: f.takings, resultReads: f.resultReads,
	}
	p.collect(out)
	p.dependencies(out)
	return out
}

// uncalled reports whether f is a test: only package testing calls it, so that
// nobody needs its summary.
func (p *SumPackage) uncalled(f *SumFunc) bool {
	return f.Fn.Parent() == nil && isTestName(f.Fn.Name()) && f.test
}

// summarize puts together the summary of f.
func (p *SumPackage) summarize(f *SumFunc) *FuncSummary {
	s := &FuncSummary{Name: Name(f.Fn), Effects: f.effects()}
	results, reads := p.results(f)
	f.resultReads = reads
	m := newMerger(s)
	s.Acquires = f.acquires(s.Effects)
	defer s.leaveOpen()
	outs, outReads := p.outs(f)
	index := m.merge(f.Events, slices.Concat(reads, outReads))
	for i := range outs {
		outs[i].Reads = mapped(outReads[i], index)
	}
	s.Outs = outs
	for i := range results {
		results[i].Reads = mapped(reads[i], index)
	}
	s.Results = results
	f.excludes(s, index)
	p.paramCalls(f, s, m)
	for _, c := range f.calls {
		if c.kind == Spawned {
			s.Spawns = true
		}
	}
	return s
}
