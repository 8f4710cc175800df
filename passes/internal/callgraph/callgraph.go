// Package callgraph resolves the calls between the functions of a package, in one pass over
// the instructions. The same pass collects the flow-insensitive properties that later
// stages use: channels that serve as locks, the mutexes of condition variables, fields that
// have a single function as value, fields with writes after construction, and functions
// that concern shared memory.
//
// Calls are resolved statically, through function values with a single definition, and for
// interfaces by class hierarchy analysis if the implementations are few; those callees are
// marked as may-callees. A call that cannot be resolved has no callee: it is assumed
// neither to acquire nor to release locks.
package callgraph

import (
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/cfgpath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A FuncID is the index of a function in Graph.Funcs.
type FuncID = int

// A Node is a function of the analyzed package, with its calls and its flow-insensitive
// properties.
type Node struct {
	// Fn is the function; a generic function stands for its instances.
	Fn *ssa.Function

	// ID is the index of the node in Graph.Funcs.
	ID    FuncID
	paths *cfgpath.Paths // cache of Paths
	// Test is set for functions in test files, and for those that are given a test: see isGivenTest.
	Test  bool
	Calls []Call // calls and escapes of functions of the package
	// Shares is set if the function uses locks, atomics, channels or goroutines, or calls
	// functions of other packages that do.
	Shares bool
	// Keeps is set if the function keeps a function that it is given: see ssautil.Kept.
	Keeps bool
	// target is the callee at the end of the chain of forwarders that begins with the function, nil if the function is no forwarder.
	target *Node
	// forwarders are the forwarders whose target the function is.
	forwarders []*Node
	// Bypassed is set for a forwarder that no code outside the package can call: all its calls are calls of the target.
	Bypassed bool
	// Named is set if the function is used as a value that may escape.
	Named bool
	// Relevant is set if the summary of the function can have information for a caller with
	// locks.
	Relevant bool
}

// Paths returns the control-flow paths of f.
func (f *Node) Paths() *cfgpath.Paths {
	if f.paths == nil {
		f.paths = cfgpath.New(f.Fn)
	}
	return f.paths
}

// A Call is a call of the function Callee of the package, or another use of it as a value;
// Kind says which.
type Call struct {
	Instr  ssa.CallInstruction // nil for a function value that is stored
	Callee FuncID
	Kind   fact.CallKind
}

// A Graph is the call graph of a package, with properties of its channels, condition
// variables and fields.
type Graph struct {
	// Pkg is the package, Fset has its positions, and Funcs are its functions with bodies.
	Pkg   *types.Package
	Fset  *token.FileSet
	Funcs []*Node

	// ByFn finds the node of a function of the package.
	ByFn    map[*ssa.Function]*Node
	byObj   map[*types.Func]*Node
	methods map[string][]*Node // by name, for interface calls
	// Limits records the functions that exceed a bound of the analysis.
	Limits *limit.Record
	// Foreign has the summaries of other packages.
	Foreign *fact.Foreign
	// Tokens describes the channels that may be locks, by the location that contains them.
	Tokens map[accesspath.Location]tokenUse
	// Conds has, for the location of a *sync.Cond, its mutex: the name of a field of the
	// same struct, the path of a package variable, or "" for a mutex that nothing else refers
	// to.
	Conds map[accesspath.Location]string
	// contexts are the fields with the contexts that the cancel functions in fields end, and handed the channels and contexts
	// that are passed for a parameter: see ChannelOf.
	contexts map[accesspath.Location]contextField
	handed   map[*ssa.Parameter][]ssa.Value
	// funcFields are the fields with function values: see fieldCallees.
	funcFields map[accesspath.Location]funcField
	// written are the fields and package variables with writes after the construction of
	// the object that they belong to.
	written map[types.Object]bool
	// overwritten are the struct types of the package of which objects are written as a whole after their construction.
	overwritten map[*types.TypeName]bool
	// makers are the results of functions that are new objects.
	makers map[madeResult]bool
	// exposed says which types of the package have values that other packages can have,
	// and interfaceMethods which methods these can call if the type has no exported name.
	exposed          map[*types.TypeName]exposing
	interfaceMethods map[string]bool
	// handled has the types of which functions have values: see IsChosen.
	handled map[types.Object]bool
	// implementers caches the resolution of interface calls.
	implementers map[ifaceMethod][]Callee
	// satisfied caches which types implement which interfaces.
	satisfied map[satisfaction]bool
}

// Forwards reports whether f is a forwarder: see ssautil.Forwarded.
func (f *Node) Forwards() bool { return f.target != nil }

// Target returns the function that a call of f runs: the callee at the end of the chain of forwarders that begins with f, or f itself.
func (f *Node) Target() *Node {
	if f.target != nil {
		return f.target
	}
	return f
}

// Declares reports whether the declaration of f, or of a forwarder whose target it is, is as asked.
func (f *Node) Declares(is func(*types.Func) bool) bool {
	obj, ok := f.Fn.Object().(*types.Func)
	return ok && is(obj) || slices.ContainsFunc(f.forwarders, func(g *Node) bool { return g.Declares(is) })
}

// Public reports whether f, or a forwarder whose target it is, has an exported name.
func (f *Node) Public() bool {
	return f.Exported() || slices.ContainsFunc(f.forwarders, (*Node).Exported)
}

// Called returns the function that a static call of fn runs, or nil if the package has no body for it.
func (p *Graph) Called(fn *ssa.Function) *Node {
	if f := p.ByFn[fn]; f != nil {
		return f.Target()
	}
	return nil
}

// Name returns the name of a function as messages show it: (*Store).Put, and Put$1 for a
// literal in Put.
func Name(fn *ssa.Function) string {
	fn = ssautil.Generic(fn)
	if fn.Parent() != nil {
		return Name(fn.Parent()) + strings.TrimPrefix(fn.Name(), fn.Parent().Name())
	}
	if recv := fn.Signature.Recv(); recv != nil {
		t := types.TypeString(recv.Type(), func(*types.Package) string { return "" })
		return "(" + strings.TrimPrefix(t, ".") + ")." + fn.Name()
	}
	return fn.Name()
}

// Pos returns a position in the form that facts use.
func (p *Graph) Pos(at token.Pos) fact.Pos {
	if !at.IsValid() {
		return fact.Pos{}
	}
	pos := p.Fset.Position(at)
	return fact.Pos{Pos: at, Text: filepath.Base(pos.Filename) + ":" + strconv.Itoa(pos.Line)}
}

// Exported reports whether f is a function or method with an exported name.
func (f *Node) Exported() bool {
	return f.Fn.Parent() == nil && isExportedName(f.Fn.Name())
}

func isExportedName(name string) bool {
	return name != "" && name[0] >= 'A' && name[0] <= 'Z'
}

// StartsProgram reports whether f is main or an initializer.
func (p *Graph) StartsProgram(f *Node) bool {
	return f.Fn.Parent() == nil && f.Fn.Name() == "main" && p.Pkg.Name() == "main" || ssautil.IsInit(f.Fn)
}

// IsTestName reports whether name has the prefix of a test, benchmark, fuzz test or
// example.
func IsTestName(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Benchmark") ||
		strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}

// source returns the function that a call of a function value of this package runs: the generic function of
// an instance, the method of a method value, the target of a forwarder; or nil.
func (p *Graph) source(fn *ssa.Function) *Node {
	if f := p.node(fn); f != nil {
		return f.Target()
	}
	return nil
}

// node returns the node of a function value: like source, but for forwarders their own one.
func (p *Graph) node(fn *ssa.Function) *Node {
	fn = ssautil.Generic(fn)
	if f := p.ByFn[fn]; f != nil {
		return f
	}
	if obj, ok := fn.Object().(*types.Func); ok {
		return p.byObj[obj.Origin()]
	}
	return nil
}

// A madeResult is a result of a function by its index.
type madeResult struct {
	fn *ssa.Function
	i  int
}

// An exposing says how other packages can have values of an unexported type.
type exposing uint8
