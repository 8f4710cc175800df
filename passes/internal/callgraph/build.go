package callgraph

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// NewGraph returns the call graph of the package whose SSA form is prog. foreign has the
// facts of the packages that it imports.
func NewGraph(pkg *types.Package, fset *token.FileSet, prog *buildssa.SSA, foreign *fact.Foreign) *Graph {
	p := &Graph{
		Pkg:          pkg,
		Fset:         fset,
		ByFn:         make(map[*ssa.Function]*Node, len(prog.SrcFuncs)),
		byObj:        make(map[*types.Func]*Node, len(prog.SrcFuncs)),
		methods:      make(map[string][]*Node),
		Limits:       new(limit.Record),
		Foreign:      foreign,
		Tokens:       make(map[accesspath.Location]tokenUse),
		Conds:        make(map[accesspath.Location]string),
		contexts:     make(map[accesspath.Location]contextField),
		handed:       make(map[*ssa.Parameter][]ssa.Value),
		funcFields:   make(map[accesspath.Location]funcField),
		written:      make(map[types.Object]bool),
		overwritten:  make(map[*types.TypeName]bool),
		makers:       make(map[madeResult]bool),
		implementers: make(map[ifaceMethod][]Callee),
		satisfied:    make(map[satisfaction]bool),
	}
	p.addNodes(slices.Concat(prog.SrcFuncs, initializer(prog.Pkg)))
	p.lookThrough()
	scan(p)
	p.expose(newOutflow(p).Has)
	p.bypass()
	p.findHandled()
	return p
}

// addNodes makes the nodes of the functions with bodies.
func (p *Graph) addNodes(fns []*ssa.Function) {
	for _, fn := range fns {
		if len(fn.Blocks) == 0 {
			continue
		}
		f := &Node{Fn: fn, ID: len(p.Funcs), Test: InTestFile(p.Fset, fn.Pos()) || isGivenTest(fn)}
		p.Funcs = append(p.Funcs, f)
		p.ByFn[fn] = f
		if obj, ok := fn.Object().(*types.Func); ok {
			p.byObj[obj] = f
		}
		if fn.Signature.Recv() != nil {
			p.methods[fn.Name()] = append(p.methods[fn.Name()], f)
		}
	}
}

// initializer returns the function that initializes the package variables, with the literals
// in their initial values, such as the handlers in a table.
func initializer(pkg *ssa.Package) []*ssa.Function {
	fn := pkg.Func("init")
	if fn == nil {
		return nil
	}
	out := []*ssa.Function{fn}
	for i := 0; i < len(out); i++ {
		out = append(out, out[i].AnonFuncs...)
	}
	return out
}

// isGivenTest reports whether fn, or the function that it is a literal in, is a helper of tests.
func isGivenTest(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn.Pkg != nil && fn.Pkg.Pkg.Path() != testPkg && GivenTest(fn.Signature)
}

// GivenTest reports whether a function is given a test, by a parameter or a field of its receiver: it is a helper of tests, in whatever file.
//
//	func MakeCluster(n int, t *testing.T) *cluster { return &cluster{t: t} }
//	func (c *cluster) Await(s State) { c.t.Helper(); … }
func GivenTest(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if isTest(v.Type()) {
			return true
		}
	}
	if sig.Recv() == nil {
		return false
	}
	if s, ok := ssautil.Deref(sig.Recv().Type()).Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if isTest(f.Type()) {
				return true
			}
		}
	}
	return false
}

const testPkg = "testing"

// isTest reports whether t is the type of a test, benchmark or fuzz target that is running, and not that of a result.
func isTest(t types.Type) bool {
	return slices.ContainsFunc([]string{"T", "B", "F", "TB", "M", "PB"}, func(name string) bool { return ssautil.IsNamed(t, testPkg, name) })
}

// InTestFile reports whether a position is in a test file. Line directives are ignored.
func InTestFile(fset *token.FileSet, pos token.Pos) bool {
	return pos.IsValid() && strings.HasSuffix(fset.PositionFor(pos, false).Filename, "_test.go")
}
