package atomicset

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/summary"
)

// A process is a function that runs concurrently with others, on the object.
type process struct {
	fn   *summary.Func
	cand candidate
	proc int
	// main says that the process is the main function of a program, or another function
	// that allocates the object and starts goroutines on it.
	main bool
	// outline is the summary of a method of another package, instead of fn and cand: the
	// object is its receiver.
	outline *summary.FuncSummary
	method  *types.Func
}

func (p *process) name() string {
	if p.outline != nil {
		return p.outline.Name
	}
	return summary.Name(p.fn.Fn)
}

func (p *process) pos() token.Pos {
	if p.outline != nil {
		return p.method.Pos()
	}
	return p.fn.Fn.Pos()
}

// processes finds the processes on an object.
//
// A package that others import is run by its most general client: any of its units of
// work and exported functions, at any time, concurrently with any, also with itself, and
// with the goroutines that the package starts. Units that only the package can call run
// where it calls them. A program is run as it is: main, and the goroutines that are
// started.
func processes(pass *analysis.Pass, pkg *summary.Package, u *units, cands *candidates) []*process {
	var out []*process
	closed := pass.Pkg.Name() == "main"
	spawned := spawnedFuncs(pkg)
	var main *summary.Func
	for _, f := range pkg.Funcs {
		own := cands.of(f)
		if pkg.InTest(f) || f.Constructs() && !closed {
			continue
		}
		if closed && f.Fn.Name() == "main" && f.Fn.Parent() == nil && f.Fn.Signature.Recv() == nil {
			main = f
			continue
		}
		runs := spawned[f] || pkg.IsRoot(f) && !(closed && f.Exported())
		for _, c := range own {
			if runs || !closed && u.isUnit(f, c) && pkg.IsRoot(f) {
				out = append(out, &process{fn: f, cand: c})
			}
		}
		if !closed && pkg.IsRoot(f) && spawns(pkg, f) {
			// An object that the function allocates is shared only with the goroutines
			// that it starts.
			out = append(out, makes(f, cands)...)
		}
	}
	if main != nil {
		for _, c := range cands.of(main) {
			out = append(out, &process{fn: main, cand: c, main: true})
		}
		out = append(out, makes(main, cands)...)
	}
	slices.SortStableFunc(out, compareProcess)
	return out
}

// spawns reports whether a function contains go statements or their equivalents.
func spawns(pkg *summary.Package, f *summary.Func) bool {
	for _, list := range pkg.Steps(f) {
		if slices.ContainsFunc(list, func(s summary.Step) bool { return s.Kind == summary.SpawnStep }) {
			return true
		}
	}
	return false
}

// makes returns a process of f for each object that f, or a callee, allocates and on
// which it starts goroutines.
func makes(f *summary.Func, cands *candidates) []*process {
	var out []*process
	for _, c := range cands.made {
		if c.fn == f || cands.leads(f, c) {
			out = append(out, &process{fn: f, cand: c, main: true})
		}
	}
	return out
}

// spawnedFuncs returns the functions that are started as goroutines.
func spawnedFuncs(pkg *summary.Package) map[*summary.Func]bool {
	out := make(map[*summary.Func]bool)
	for _, f := range pkg.Funcs {
		if pkg.InTest(f) {
			continue
		}
		for _, list := range pkg.Steps(f) {
			for _, s := range list {
				if s.Kind == summary.SpawnStep {
					for _, c := range s.Callees {
						out[pkg.Of(c)] = true
					}
				}
			}
		}
	}
	return out
}

// A pairing says whether, and how, two processes can run concurrently.
type pairing struct {
	parent int // 0 or 1 if that process starts the other, else -1
	ok     bool
}

// pair returns whether two processes can run concurrently on one object.
func (a *analyzed) pair(p, q *process) pairing {
	if p.cand.base.IsGlobal() && q.cand.base.IsGlobal() && p.cand.base != q.cand.base {
		return pairing{} // two different objects
	}
	switch {
	case p.main && q.main:
		return pairing{}
	case p.main:
		return pairing{0, a.starts(p, q)}
	case q.main:
		return pairing{1, a.starts(q, p)}
	}
	if p.outline != nil || q.outline != nil {
		return pairing{-1, !p.encapsulated() && !q.encapsulated()}
	}
	if !a.pkg.MayRunTogether(p.fn, q.fn) {
		return pairing{}
	}
	for _, m := range a.processes {
		// Of two goroutines of one program, one may end before the other begins.
		if m.main && a.starts(m, p) && a.starts(m, q) && !a.coexist(m, p, q) {
			return pairing{}
		}
	}
	return pairing{-1, true}
}

// starts reports whether a process starts another.
func (a *analyzed) starts(p, q *process) bool {
	for _, i := range a.model.Reachable(p.proc) {
		for _, n := range a.model.Procs[i].Nodes {
			if n.Op == model.Start && n.Arg == q.proc {
				return true
			}
		}
	}
	return false
}

// coexist reports whether main may start one of two processes while the other is running:
// it has started the other and not yet waited for its end. Calls are followed without
// matching returns.
func (a *analyzed) coexist(m, p, q *process) bool {
	return a.startsWithout(m, p, q) || a.startsWithout(m, q, p)
}

// startsWithout reports whether there is a path in main from the start of p to the start
// of q without a wait for p.
func (a *analyzed) startsWithout(m, p, q *process) bool {
	type point struct{ proc, node int }
	seen := make(map[point]bool)
	var work []point
	visit := func(proc int, nodes ...int) {
		for _, n := range nodes {
			if at := (point{proc, n}); !seen[at] {
				seen[at] = true
				work = append(work, at)
			}
		}
	}
	procs := a.model.Reachable(m.proc)
	returns := func(proc int) {
		for _, i := range procs {
			for _, n := range a.model.Procs[i].Nodes {
				if n.Op == model.Call && n.Arg == proc {
					visit(i, n.Succs...)
				}
			}
		}
	}
	for _, i := range procs {
		for _, n := range a.model.Procs[i].Nodes {
			if n.Op == model.Start && n.Arg == p.proc {
				visit(i, n.Succs...)
			}
		}
	}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		n := a.model.Procs[at.proc].Nodes[at.node]
		switch n.Op {
		case model.Start:
			if n.Arg == q.proc {
				return true
			}
		case model.Join:
			if n.Arg == p.proc {
				continue
			}
		case model.Return:
			returns(at.proc)
			continue
		case model.Call:
			visit(n.Arg, 0)
			continue
		}
		visit(at.proc, n.Succs...)
	}
	return false
}
