package atomicset

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
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
		if f.Test || f.Forwards() || f.Constructs() && !closed {
			continue
		}
		if closed && f.Fn.Name() == "main" && f.Fn.Parent() == nil && f.Fn.Signature.Recv() == nil {
			main = f
			continue
		}
		runs := spawned[f] || pkg.Processes().IsRoot(f) && !(closed && f.Public())
		for _, c := range own {
			if runs || !closed && u.isUnit(f, c) && pkg.Processes().IsRoot(f) {
				out = append(out, &process{fn: f, cand: c})
			}
		}
		if !closed && pkg.Processes().IsRoot(f) && spawns(pkg, f) {
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
		if f.Test {
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

// compareProcess orders processes by their declarations, so that models are
// deterministic.
func compareProcess(a, b *process) int {
	return cmp.Or(cmp.Compare(a.pos(), b.pos()), strings.Compare(a.name(), b.name()), strings.Compare(string(a.cand.base), string(b.cand.base)))
}

// encapsulated reports whether the object is a part of an object whose fields only this
// package accesses: no other package calls its methods.
func (p *process) encapsulated() bool {
	if p.outline != nil || p.cand.base.Root() != receiver || p.fn.Fn.Signature.Recv() == nil {
		return false
	}
	t, inside := p.fn.Fn.Signature.Recv().Type(), false
	for _, name := range strings.Split(p.cand.base.Selectors(), ".")[1:] {
		if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
			t = ptr.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return false
		}
		i := slices.IndexFunc(slices.Collect(st.Fields()), func(f *types.Var) bool { return f.Name() == name })
		if i < 0 {
			return false
		}
		t = st.Field(i).Type()
		_, isStruct := t.Underlying().(*types.Struct)
		inside = (inside || !st.Field(i).Exported()) && isStruct
	}
	return inside
}

// receiver is the path of the object in a method.
var receiver = accesspath.Param(0)
