package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// Summaries are computed callees first. The functions of a strongly connected component of
// the call graph start with empty summaries, and are summarized repeatedly until the
// summaries are stable. The components are found during the computation, as in Tarjan's
// algorithm (SIAM J. Comput. 1972), because calls of literals that are passed as arguments
// are only known from the summary of the callee.

// A builder is the state of Tarjan's algorithm.
type builder struct {
	*Summaries
	// active is the stack of the functions that are being summarized.
	active []*Body
	// pending are the functions with a first summary whose component is incomplete, in the
	// order in which they were finished.
	pending []*Body
	// built are the functions whose summaries are finished, in that order.
	built []callgraph.FuncID
	// begun is the number of functions that the search has reached.
	begun int
	// analyzing is the stack of the functions that are being analyzed, in repeated rounds
	// too.
	analyzing []*Body
}

// Summarize returns the summaries of the relevant functions of a package.
func Summarize(g *callgraph.Graph) *Summaries {
	p := &Summaries{
		Graph:      g,
		Funcs:      make([]*Body, len(g.Funcs)),
		controls:   make(map[*ssa.Function]*depgraph.Control),
		variables:  make(map[accesspath.Location]*ssa.Alloc),
		leaving:    make(map[*ssa.Alloc]bool),
		retentions: make(map[retained]retention),
	}
	for i, f := range g.Funcs {
		p.Funcs[i] = &Body{Node: f, in: p}
	}
	b := &builder{Summaries: p}
	p.demand = b.demand
	b.buildAll()
	for _, f := range p.Funcs {
		f.uses, f.seen = nil, nil // of the computation
	}
	return p
}

// demand builds the summary of f for the function that is being analyzed.
func (b *builder) demand(f *Body) {
	b.build(f)
	if n := len(b.analyzing); n > 0 {
		b.analyzing[n-1].uses[f.ID] = f.Sum
	}
}

// buildAll summarizes the functions that concern shared memory or keep a function, their callees, and the
// callers of functions with locks.
func (b *builder) buildAll() {
	for _, f := range b.Funcs {
		if f.Shares || f.Keeps {
			b.build(f)
		}
	}
	// A function that is built makes its callers candidates, and no other ones: each call is
	// looked at once for the summary of its callee, however deep the calls are.
	callers := make([][]*callgraph.Node, len(b.Funcs))
	for _, f := range b.Funcs {
		for _, c := range f.Calls {
			callers[c.Callee] = append(callers[c.Callee], f.Node)
		}
	}
	for i := 0; i < len(b.built); i++ {
		if !b.hasLocks(b.built[i]) {
			continue
		}
		for _, f := range callers[b.built[i]] {
			if g := b.of(f); g.State != Built {
				b.build(g)
			}
		}
	}
}

// hasLocks reports whether the summary of a function has locks or goroutines.
func (p *Summaries) hasLocks(id callgraph.FuncID) bool {
	s := p.Funcs[id].Sum
	return len(s.Regions) > 0 || len(s.Effects) > 0 || len(s.Acquires) > 0 || s.Spawns
}

// build summarizes f, its literals and its callees, and finishes the component of which f
// is the first function that the search has reached.
func (b *builder) build(f *Body) {
	switch f.State {
	case Built:
		return
	case building, pending:
		f.recursive = f.recursive || f.State == building
		if n := len(b.active); n > 0 {
			top := b.active[n-1]
			top.low = min(top.low, f.low)
		}
		return
	}
	b.begun++
	f.State, f.index, f.low = building, b.begun, b.begun
	b.active = append(b.active, f)
	empty := &fact.FuncSummary{Name: callgraph.Name(f.Fn), NeedsReceiver: needsReceiver(f.Fn)}
	f.Sum = empty
	b.analyze(f)
	if f.recursive && fact.EncodeOne(f.Sum) == fact.EncodeOne(empty) {
		f.Sum = empty // nothing that was computed from it is outdated
	}
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
	b.finish(component)
}

// finish summarizes the functions of a component again until no summary changes: in each
// round those that have used a summary which is not the current one.
func (b *builder) finish(component []*Body) {
	for _, f := range component {
		f.State = Built
		if len(component) > 1 || f.recursive {
			f.component = component[len(component)-1].index
		}
	}
	for _, f := range component {
		b.built = append(b.built, f.ID)
	}
	for range limit.SummaryRounds {
		changed := false
		for _, f := range component {
			if b.isOutdated(b.of(f.Node)) && b.resummarize(f.Node) {
				changed = true
			}
		}
		if !changed {
			return
		}
	}
	for _, f := range component {
		if g := b.of(f.Node); b.isOutdated(g) {
			b.Limits.Add(g.Sum.Name, "SummaryRounds")
		}
	}
}

// isOutdated reports whether the summary of f is computed from one that has been replaced,
// and another round may improve it.
func (b *builder) isOutdated(f *Body) bool {
	if f.isFull() {
		return false
	}
	for id, used := range f.uses {
		if b.Funcs[id].Sum != used {
			return true
		}
	}
	return false
}

// isFull reports whether the summary of f has been computed with those of its component,
// and has as many accesses as it can hold: another round only exchanges accesses.
func (f *Body) isFull() bool { return f.seen != nil && len(f.Sum.Accesses) == fact.MaxAccesses }

// resummarize computes the summary of f from the current summaries of its callees, and
// reports whether it has changed. The bounds of summaries can make two results alternate:
// one that f has had before is no change.
func (b *builder) resummarize(f *callgraph.Node) bool {
	old := b.of(f)
	now := &Body{Node: f, in: b.Summaries, Sum: old.Sum, State: Built, component: old.component, seen: old.seen}
	b.Funcs[f.ID] = now
	b.analyze(now)
	text := fact.EncodeOne(now.Sum)
	if now.seen == nil {
		now.seen = map[string]bool{fact.EncodeOne(old.Sum): true}
	}
	if now.seen[text] {
		now.Sum = old.Sum
		return false
	}
	now.seen[text] = true
	return true
}

// analyze computes the lock states, accesses, dependences and summary of f.
func (b *builder) analyze(f *Body) {
	f.uses = make(map[callgraph.FuncID]*fact.FuncSummary)
	b.analyzing = append(b.analyzing, f)
	defer func() { b.analyzing = b.analyzing[:len(b.analyzing)-1] }()
	for _, lit := range f.Fn.AnonFuncs {
		if g := b.ByFn[lit]; g != nil && g.Relevant {
			b.build(b.of(g))
		}
	}
	b.resolver(f)
	f.ops = b.lockOps(f)
	f.Flow = lockset.Analyze(f.Fn, f.Res, f.ops)
	if f.Flow.Exceeds != "" {
		b.Limits.Add(callgraph.Name(f.Fn), f.Flow.Exceeds)
	}
	f.takings = b.takingsOf(f)
	b.collect(f)
	b.dependencies(f)
	if !b.uncalled(f) {
		f.Sum = b.summarize(f)
	}
}

// Confirmed returns f analyzed under the assumption that all its callers hold the given
// locks: a lock that f may release without acquisition is held at its entry.
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

// uncalled reports whether f is a test function, which has no callers.
func (p *Summaries) uncalled(f *Body) bool {
	return f.Fn.Parent() == nil && callgraph.IsTestName(f.Fn.Name()) && f.Test
}

// summarize returns the summary of f.
func (p *Summaries) summarize(f *Body) *fact.FuncSummary {
	s := &fact.FuncSummary{Name: callgraph.Name(f.Fn), Effects: f.effects(), NeedsReceiver: needsReceiver(f.Fn)}
	results, reads := p.results(f)
	f.ResultReads = reads
	m := newMerger(f, s, p.Limits)
	if len(f.Fn.Params) > fact.MaxParams {
		p.Limits.Add(s.Name, "Params")
	}
	s.Acquires = f.acquires(s.Effects)
	defer s.LeaveOpen()
	s.Results = results // the keys among them are kept in the accesses
	outs, outReads := p.outs(f)
	index := m.merge(f.Events, slices.Concat(reads, outReads))
	for i := range outs {
		outs[i].Reads = mapped(outReads[i], index)
	}
	s.Outs = outs
	for i := range results {
		results[i].Reads = mapped(reads[i], index)
	}
	f.excludes(s, index)
	s.Calls = p.paramCalls(f, m)
	for _, c := range f.Calls {
		if c.Kind == fact.Spawned {
			s.Spawns = true
		}
	}
	return s
}
