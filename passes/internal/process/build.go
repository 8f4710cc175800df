package process

import (
	"go/ast"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"golang.org/x/tools/go/ssa"
)

// NewProcesses computes the entry locks, contexts and processes of the functions of a
// package. The comments in its files say how functions are meant to be called.
func NewProcesses(s *funcsum.Summaries, files []*ast.File) *Processes {
	p := &Processes{Summaries: s, Funcs: make([]*Func, len(s.Funcs)), docs: docsOf(files), fields: annotatedFields(s.Pkg, files)}
	for i, f := range s.Funcs {
		p.Funcs[i] = &Func{Body: f}
		p.receives = append(p.receives, receivesInLoop(p.Funcs[i]))
	}
	for _, f := range p.Funcs {
		f.ends = p.endsObject(f)
	}
	sites := p.sites()
	open := p.open(sites)
	p.sitesOf, p.isOpen = sites, open
	p.entries(sites, open)
	p.findContexts(sites)
	p.multiplicities(sites, open)
	p.findSpawns(sites)
	p.processes(sites, open)
	p.findStarted()
	return p
}

// processes builds the process graph.
func (p *Processes) processes(sites [][]site, open []bool) {
	g := New(len(p.Funcs))
	for i, f := range p.Funcs {
		if r, ok := p.entryOf(f, open[i] && len(sites[i]) == 0); ok {
			g.AddRoot(r)
		}
		timed, kept := p.keptTimer(f, sites[i])
		for _, s := range sites[i] {
			switch s.call.Kind {
			case fact.Called:
				if !p.beforePublication(s) {
					g.AddCall(s.caller.ID, i)
				}
			case fact.Spawned, fact.Escapes:
				if s.call.Kind == fact.Spawned && p.rearms(s) {
					continue
				}
				g.AddRoot(p.startOf(f, s, timed, kept))
			}
			if kept {
				break // one root for all: a timer at a time
			}
		}
	}
	g.Solve()
	p.Procs = g
}

// entryOf returns the root of a function whose callers are not in the package, or not known: main and init, an exported function,
// a function value, a function without a call site.
func (p *Processes) entryOf(f *Func, uncalled bool) (Root, bool) {
	switch {
	case f.Bypassed:
	case p.StartsProgram(f.Node), f.Test && callgraph.IsTestName(f.Fn.Name()):
		return Root{Func: f.ID, Single: true, Main: true, Test: f.Test}, true
	case p.Callable(f.Node) && !f.Test:
		return Root{Func: f.ID, API: true, Single: serves(f.Target().Fn) || p.Of(f.Target()).ends, own: owned{accesspath.Param(0)}}, true
	case f.Named:
		r := Root{Func: f.ID, Main: f.Test, Test: f.Test}
		if f.ends {
			r.Single, r.own = true, owned{accesspath.Param(0)}
		}
		return r, true
	case uncalled:
		return Root{Func: f.ID, Test: f.Test, Uncalled: true, Single: serves(f.Target().Fn), own: owned{accesspath.Param(0)}}, true
	}
	return Root{}, false
}

// startOf returns the root of a function that runs beside the one which starts it, or gives it away. If it is that of a timer which its
// object keeps, timed are the objects of which there is one.
func (p *Processes) startOf(f *Func, s site, timed owned, kept bool) Root {
	_, isGo := s.call.Instr.(*ssa.Go)
	r := Root{
		Func: f.ID,
		Go:   s.call.Kind == fact.Spawned,
		Test: s.caller.Test,
		// A function that a test passes to another one, such as
		// (*testing.T).Run, mostly runs while the test waits.
		Main: !isGo && s.caller.Test,
	}
	switch {
	case kept:
		r.Single, r.own = true, timed
	case r.Go:
		r.Single, r.own, r.made = p.spawnedOnce(s)
	}
	if r.Go {
		r.group, r.starter, r.at = p.groupOf(s), s.caller.ID, position(s)
		r.ends = p.endsOf(s, 2)
		if !kept {
			r.later = p.later(s) // another site may have set a timer before
		}
		if r.Single && !kept && len(r.own) > 0 {
			r.start = s.call.Instr
		}
	}
	return r
}

// findSpawns finds the functions that start goroutines, by themselves or in a callee.
func (p *Processes) findSpawns(sites [][]site) {
	p.spawns = make([]bool, len(p.Funcs))
	var mark func(f int)
	mark = func(f int) {
		if p.spawns[f] {
			return
		}
		p.spawns[f] = true
		for _, s := range sites[f] {
			if s.call.Kind == fact.Called {
				mark(s.caller.ID)
			}
		}
	}
	for _, list := range sites {
		for _, s := range list {
			if s.call.Kind != fact.Called {
				mark(s.caller.ID)
			}
		}
	}
}

// spawnedOnce reports whether a go statement starts one goroutine per object, and which operands
// of the function name that: it is executed once, it gives a new object to the goroutine, the
// goroutine is the service of an object, or each goroutine starts the next one. No operand names it
// if there is one in all. It also reports whether the function with the statement allocates these objects.
func (p *Processes) spawnedOnce(s site) (once bool, own owned, made bool) {
	if s.call.Instr != nil && p.GivesToWorkers(s.caller.Node, s.call.Instr, p.Funcs[s.call.Callee].Node) {
		return false, nil, false
	}
	if p.Funcs[s.call.Callee].ends {
		return true, owned{accesspath.Param(0)}, false
	}
	if times, objects := p.callMultiplicity(s); times != often {
		return true, names(objects), areMade(objects)
	}
	if s.call.Instr == nil || s.caller.Paths().Reaches(s.call.Instr, s.call.Instr) {
		return false, nil, false
	}
	inOnce := slices.IndexFunc(s.caller.Entry, isOnce)
	if inOnce >= 0 && (s.caller.Entry[inOnce].Path == accesspath.Unknown || s.caller.Entry[inOnce].Path.IsGlobal()) {
		return true, nil, false
	}
	if inOnce >= 0 || p.isService(s) {
		// A service of the package has no object.
		for _, o := range objects(p.handed(s)) {
			own = append(own, o.as)
		}
		return true, own, false
	}
	if once, own = p.startedByTaker(s); once {
		return once, own, false
	}
	own = p.startedInTurn(s)
	return len(own) > 0, own, false
}
