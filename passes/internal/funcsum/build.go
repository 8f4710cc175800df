package funcsum

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
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
	active []*Body
	// pending are those that have a first summary, but belong to a component whose
	// first function is still active, in the order in which they came to an end.
	pending []*Body
	// begun counts the functions that have been begun.
	begun int
	// asking are the functions that are being analyzed, each for the one before.
	asking []*Body
}

type buildState uint8

const (
	unbuilt buildState = iota
	building
	pending // in a component that is not finished
	Built
)

// maxRounds bounds how often a component is done again. Paths that would grow are widened
// (see translate), so that most components need two or three rounds.
const maxRounds = 8

// Summarize makes the summaries of the functions of a package that can say something.
func Summarize(g *callgraph.Graph) *Summaries {
	p := &Summaries{
		Graph:    g,
		Funcs:    make([]*Body, len(g.Funcs)),
		controls: make(map[*ssa.Function]*depgraph.Control),
	}
	for i, f := range g.Funcs {
		p.Funcs[i] = &Body{Node: f, in: p}
	}
	p.buildAll()
	return p
}

// SummaryOf returns what is known of a callee, or nil.
func (p *Summaries) SummaryOf(c callgraph.Callee) *fact.FuncSummary {
	if c.Fn == nil {
		return c.Sum
	}
	if !c.Fn.Relevant {
		return nil
	}
	p.build(p.of(c.Fn))
	if n := len(p.asking); n > 0 {
		p.asking[n-1].asked[c.Fn.ID] = true
	}
	return p.of(c.Fn).Sum
}

// buildAll summarizes the functions that share memory, those that they call, and those
// that call a function with locks in it.
func (p *Summaries) buildAll() {
	for _, f := range p.Funcs {
		if f.Shares {
			p.build(f)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.Funcs {
			if p.of(f.Node).State != Built && p.callsLocks(f) {
				p.build(f)
				changed = true
			}
		}
	}
}

// callsLocks reports whether f calls a function of the package that has to do with locks.
func (p *Summaries) callsLocks(f *Body) bool {
	return slices.ContainsFunc(f.Calls, func(c callgraph.Call) bool {
		g := p.Funcs[c.Callee]
		return g.State == Built && (len(g.Sum.Regions) > 0 || len(g.Sum.Effects) > 0 || len(g.Sum.Acquires) > 0 || g.Sum.Spawns)
	})
}

// build summarizes f, its literals and its callees, and the component of f if f is the
// first function of that.
func (p *Summaries) build(f *Body) {
	b := &p.builder
	switch f.State {
	case Built:
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
	f.State, f.index, f.low = building, b.begun, b.begun
	b.active = append(b.active, f)
	f.Sum = &fact.FuncSummary{Name: callgraph.Name(f.Fn)}
	p.analyze(f)
	b.active = b.active[:len(b.active)-1]
	if f.low < f.index {
		f.State = pending
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
func (p *Summaries) finish(component []*Body) {
	changed := make(map[callgraph.FuncID]bool)
	for _, f := range component {
		f.State = Built
		if len(component) > 1 || f.recursive {
			f.component = component[len(component)-1].index
			changed[f.ID] = true
		}
	}
	for range maxRounds {
		next := make(map[callgraph.FuncID]bool)
		for _, f := range component {
			if p.of(f.Node).asksOneOf(changed) && p.again(f.Node) {
				changed[f.ID], next[f.ID] = true, true
			}
		}
		if len(next) == 0 {
			return
		}
		changed = next
	}
}

// asksOneOf reports whether the summary of f was made from that of one of the functions.
func (f *Body) asksOneOf(changed map[callgraph.FuncID]bool) bool {
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
func (p *Summaries) again(f *callgraph.Node) bool {
	old := p.of(f)
	now := &Body{Node: f, in: p, Sum: old.Sum, State: Built, component: old.component, seen: old.seen}
	p.Funcs[f.ID] = now
	p.analyze(now)
	if now.seen == nil {
		now.seen = map[string]bool{fact.EncodeOne(old.Sum): true}
	}
	text := fact.EncodeOne(now.Sum)
	known := now.seen[text]
	now.seen[text] = true
	return !known
}

// analyze summarizes f by the summaries of its callees.
func (p *Summaries) analyze(f *Body) {
	f.asked = make(map[callgraph.FuncID]bool)
	p.asking = append(p.asking, f)
	defer func() { p.asking = p.asking[:len(p.asking)-1] }()
	for _, lit := range f.Fn.AnonFuncs {
		if g := p.ByFn[lit]; g != nil && g.Relevant {
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

// Confirmed returns f with all its callers known to hold the given locks: one of them
// that f may give up is one that it starts with.
func (p *Summaries) Confirmed(f *Body, entry []lockset.Guard) *Body {
	if f.State != Built {
		return f
	}
	flow, news := f.Flow.Confirmed(entry)
	if !news {
		return f
	}
	out := &Body{
		Node: f.Node, in: p, Sum: f.Sum, Res: f.Res, Flow: flow, State: Built, component: f.component, published: f.published,
		callees: f.callees, ops: f.ops, takings: f.takings, ResultReads: f.ResultReads,
	}
	p.collect(out)
	p.dependencies(out)
	return out
}

// uncalled reports whether f is a test: only package testing calls it, so that
// nobody needs its summary.
func (p *Summaries) uncalled(f *Body) bool {
	return f.Fn.Parent() == nil && callgraph.IsTestName(f.Fn.Name()) && f.Test
}

// summarize puts together the summary of f.
func (p *Summaries) summarize(f *Body) *fact.FuncSummary {
	s := &fact.FuncSummary{Name: callgraph.Name(f.Fn), Effects: f.effects()}
	results, reads := p.results(f)
	f.ResultReads = reads
	m := newMerger(s)
	s.Acquires = f.acquires(s.Effects)
	defer s.LeaveOpen()
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
	for _, c := range f.Calls {
		if c.Kind == fact.Spawned {
			s.Spawns = true
		}
	}
	return s
}
