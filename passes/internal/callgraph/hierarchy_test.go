package callgraph

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/atomvet/atomvet/passes/internal/fact"
)

// graphOf returns the call graph of a package without imports.
func graphOf(t *testing.T, source string) *Graph {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg := types.NewPackage("p", "p")
	ssapkg, info, err := ssautil.BuildPackage(new(types.Config), fset, pkg, []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var funcs []*ssa.Function
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.FuncDecl); ok {
			funcs = append(funcs, ssapkg.Prog.FuncValue(info.Defs[decl.Name].(*types.Func)))
		}
	}
	none := func(*types.Package, analysis.Fact) bool { return false }
	return NewGraph(pkg, fset, &buildssa.SSA{Pkg: ssapkg, SrcFuncs: funcs}, fact.NewForeign(pkg, none, false))
}

// TestWideInterface demands that the types of a package are compared with an interface once,
// not once for each method of it: the comparison takes time in the number of the methods.
func TestWideInterface(t *testing.T) {
	const n = 50
	var methods, impls, calls strings.Builder
	for i := range n {
		fmt.Fprintf(&methods, "M%d()\n", i)
		fmt.Fprintf(&impls, "func (*A) M%[1]d() {}\nfunc (B) M%[1]d() {}\n", i)
		fmt.Fprintf(&calls, "i.M%d()\n", i)
	}
	g := graphOf(t, "package p\ntype I interface {\n"+methods.String()+"}\ntype A struct{}\ntype B struct{}\ntype C struct{}\nfunc (C) M1() {}\n"+
		impls.String()+"func Use(i I) {\n"+calls.String()+"}\n")
	if len(g.satisfied) != 3 {
		t.Errorf("%d comparisons of types with the interface, want 3", len(g.satisfied))
	}
	var use *Node
	for _, f := range g.Funcs {
		if f.Fn.Name() == "Use" {
			use = f
		}
	}
	if use == nil || len(use.Calls) != 2*n {
		t.Fatalf("the calls of Use are %v, want two for each of %d methods", use, n)
	}
}

// TestWrapped demands that a decorator does not call itself, but others that implement the
// interface, and that a call on another value may run the method again.
func TestWrapped(t *testing.T) {
	g := graphOf(t, `package p
type I interface{ M() }
type A struct{}
func (*A) M() {}
type wrap struct { I }
func (w *wrap) M() { w.I.M() }
func (w *wrap) Twice() { w.I.M(); w.I.M() }
type chain struct { next []I }
func (c *chain) M() { for _, i := range c.next { i.M() } }
func Use(i I) { i.M() }
`)
	calls := make(map[string]int)
	for _, f := range g.Funcs {
		calls[f.Fn.RelString(g.Pkg)] = len(f.Calls)
	}
	for fn, want := range map[string]int{"(*wrap).M": 2, "(*wrap).Twice": 4, "(*chain).M": 3, "Use": 3} {
		if got, ok := calls[fn]; !ok || got != want {
			t.Errorf("%s calls %d functions, want %d", fn, got, want)
		}
	}
}
