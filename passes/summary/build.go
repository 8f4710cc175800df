package summary

import (
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
				if g := p.Funcs[c.callee]; g.state == built && (len(g.Sum.Regions) > 0 || len(g.Sum.Effects) > 0 || g.Sum.Spawns) {
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
	return string(encodePackage(map[string]*FuncSummary{"": s}, nil))
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
	f.Events = nil
	f.slices = nil
	p.collect(f)
	p.dependencies(f)
	f.Sum = p.summarize(f)
	f.state = built
}

// summarize puts together the summary of f.

func (p *Package) summarize(f *Func) *FuncSummary {
	s := &FuncSummary{Name: Name(f.Fn), Effects: f.effects()}
	results, reads := p.results(f)
	m := newMerger(s)
	defer s.leaveOpen()
	index := m.merge(f.Events, reads)
	for i := range results {
		results[i].Reads = mapped(reads[i], index)
	}
	s.Results = results
	p.paramCalls(f, s, m)
	for _, c := range f.calls {
		if c.kind == Spawned {
			s.Spawns = true
		}
	}
	return s
}

// leaveOpen marks the regions in which the function returns.

// effects finds what f leaves behind for the locks of its callers, from the

// lock states at its returns.

// givenEffect tells what becomes of a lock of the caller that f releases.

// acquireEffect tells on what it depends that f returns with lock g held.

// hasOutcome reports whether v certainly has outcome o, or certainly, or most

// likely, has not.

// A merger turns the events of a function into the accesses of its summary.

// region returns the bit of the region that a hold is a passage through.

// passageKey identifies the passage of a hold in its function.

// merge fills in the accesses, and returns the access of each event, -1 if it

// was left out. Of the reads only those are kept from which a result, given by

// its reads, or a write depends: nothing else of a read leaves the function.

// results finds what the results of f depend on, and separately the read events

// that each of them depends on.

// resultPath finds the path that result i always has, and whether it is a new

// object. A nil result is neither here nor there.

// paramCalls finds what f does with parameters that are functions.
