package summary

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// summaryOf returns what is known of a callee, or nil.
func (p *Package) summaryOf(c callee) *FuncSummary {
	if c.fn == nil {
		return c.sum
	}
	if !c.fn.relevant {
		return nil
	}
	p.build(c.fn)
	return c.fn.Sum
}

// buildAll summarizes the functions that share memory and those that they
// call, callees first. Functions that call each other are done again until
// their summaries no longer change.
func (p *Package) buildAll() {
	for _, f := range p.Funcs {
		if f.shares {
			p.build(f)
		}
	}
	// Whoever calls a function with locks in it takes part.
	for changed := true; changed; {
		changed = false
		for _, f := range p.Funcs {
			if f.state == built {
				continue
			}
			for _, c := range f.calls {
				if g := p.Funcs[c.callee]; g.state == built && (len(g.Sum.Regions) > 0 || len(g.Sum.Effects) > 0 || len(g.Sum.Acquires) > 0 || g.Sum.Spawns) {
					p.build(f)
					changed = true
					break
				}
			}
		}
	}
	const maxRounds = 3
	for range maxRounds {
		changed := false
		for _, f := range p.Funcs {
			if f.state == built && f.recursive {
				before := encodeOne(f.Sum)
				f.Res, f.published, f.state = nil, nil, unbuilt
				p.build(f)
				changed = changed || before != encodeOne(f.Sum)
			}
		}
		if !changed {
			break
		}
	}
}

func encodeOne(s *FuncSummary) string {
	return string(encodePackage(map[string]*FuncSummary{"": s}, nil, nil))
}

// build summarizes f, its literals and its callees.
func (p *Package) build(f *Func) {
	switch f.state {
	case built:
		return
	case building:
		f.recursive = true
		return
	}
	f.state = building
	if f.Sum == nil {
		f.Sum = &FuncSummary{Name: Name(f.Fn)}
	}
	for _, lit := range f.Fn.AnonFuncs {
		if g := p.byFn[lit]; g != nil && g.relevant {
			p.build(g)
		}
	}
	p.resolver(f)
	f.ops = p.lockOps(f)
	f.Flow = lockset.Analyze(f.Fn, f.Res, f.ops)
	f.takings = p.takingsOf(f)
	f.Events = nil
	f.slices, f.order, f.claims = nil, nil, nil
	p.collect(f)
	p.dependencies(f)
	if !p.uncalled(f) {
		f.Sum = p.summarize(f)
	}
	f.state = built
}

// uncalled reports whether f is a test: only package testing calls it, so that
// nobody needs its summary.
func (p *Package) uncalled(f *Func) bool {
	return f.Fn.Parent() == nil && isTestName(f.Fn.Name()) && p.inTest(f)
}

// summarize puts together the summary of f.
func (p *Package) summarize(f *Func) *FuncSummary {
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
