// Package callgraph finds which functions of a package call which, in one pass over the
// instructions, and with that what else can be told without looking at paths: which
// channels are used as locks, which mutex a condition variable has, which fields hold one
// function only, which fields are written after construction, and which functions have
// anything to do with shared memory.
//
// Calls are resolved statically, through function values that can be only one function,
// and for interfaces by class hierarchy, if the implementations are few. An unknown callee
// is none: what it does is not known to be anything. The graph is a may-analysis for
// interface calls, which are marked as such.
package callgraph

import (
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/cfgpath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"
)

// FuncID is the index of a function in GraphPackage.Funcs.
type FuncID = int

// A GraphFunc is a function of the package that is being analyzed, with what one look
// at its instructions says of it.
type Node struct {
	Fn *ssa.Function

	ID    FuncID
	paths *cfgpath.Paths // see Paths
	// Test says that the function is declared in a test file.
	Test  bool
	Calls []Call // of functions of the package
	// Shares says that the function mentions locks, atomics or goroutines,
	// or calls functions of other packages that do.
	Shares bool
	// Named says that the function is used as a value.
	Named bool
	// Relevant says that a summary of the function can say something.
	Relevant bool
}

// Paths returns the paths of control through f.
func (f *Node) Paths() *cfgpath.Paths {
	if f.paths == nil {
		f.paths = cfgpath.New(f.Fn)
	}
	return f.paths
}

// A Call is a use of a function of the package by another.
type Call struct {
	Instr  ssa.CallInstruction // nil for a literal that escapes
	Callee FuncID
	Kind   fact.CallKind
}

// A GraphPackage is the call graph of a package, with what is known of its channels,
// condition variables and fields from how they are made and set.
type Graph struct {
	Pkg   *types.Package
	Fset  *token.FileSet
	Funcs []*Node

	ByFn    map[*ssa.Function]*Node
	byObj   map[*types.Func]*Node
	methods map[string][]*Node // by name, for interface calls
	Foreign *fact.Foreign
	Tokens  map[accesspath.Location]tokenUse
	Conds   map[accesspath.Location]string
	// funcFields are the fields that hold functions: see fieldCallees.
	funcFields map[accesspath.Location]funcField
	// written are the fields and package variables that are written after
	// the object that they belong to was made.
	written map[types.Object]bool
	// given are the types that values given to others may have.
	given map[*types.TypeName]bool
	// implementers caches how interface calls are resolved.
	implementers map[ifaceMethod][]Callee
}

// NewGraph makes the call graph of a package. foreign knows the functions of other packages.
func NewGraph(pkg *types.Package, fset *token.FileSet, prog *buildssa.SSA, foreign *fact.Foreign) *Graph {
	p := &Graph{
		Pkg:          pkg,
		Fset:         fset,
		ByFn:         make(map[*ssa.Function]*Node, len(prog.SrcFuncs)),
		byObj:        make(map[*types.Func]*Node, len(prog.SrcFuncs)),
		methods:      make(map[string][]*Node),
		Foreign:      foreign,
		Tokens:       make(map[accesspath.Location]tokenUse),
		Conds:        make(map[accesspath.Location]string),
		funcFields:   make(map[accesspath.Location]funcField),
		written:      make(map[types.Object]bool),
		implementers: make(map[ifaceMethod][]Callee),
	}
	for _, fn := range prog.SrcFuncs {
		if len(fn.Blocks) == 0 {
			continue
		}
		f := &Node{Fn: fn, ID: len(p.Funcs), Test: isTestFile(fset, fn.Pos())}
		p.Funcs = append(p.Funcs, f)
		p.ByFn[fn] = f
		if obj, ok := fn.Object().(*types.Func); ok {
			p.byObj[obj] = f
		}
		if fn.Signature.Recv() != nil {
			p.methods[fn.Name()] = append(p.methods[fn.Name()], f)
		}
	}
	scan(p)
	p.given = p.givenTypes()
	return p
}

// Name returns the name of a function as messages show it: (*Store).Put, and
// Put$1 for a literal in it.
func Name(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return Name(fn.Parent()) + strings.TrimPrefix(fn.Name(), fn.Parent().Name())
	}
	if recv := fn.Signature.Recv(); recv != nil {
		t := types.TypeString(recv.Type(), func(*types.Package) string { return "" })
		return "(" + strings.TrimPrefix(t, ".") + ")." + fn.Name()
	}
	return fn.Name()
}

// Pos returns a position with the text that names it in other packages.
func (p *Graph) Pos(at token.Pos) fact.Pos {
	if !at.IsValid() {
		return fact.Pos{}
	}
	pos := p.Fset.Position(at)
	return fact.Pos{Pos: at, Text: filepath.Base(pos.Filename) + ":" + strconv.Itoa(pos.Line)}
}

// Exported reports whether other packages can call f.
func (f *Node) Exported() bool {
	return f.Fn.Parent() == nil && isExportedName(f.Fn.Name())
}

func isExportedName(name string) bool {
	return name != "" && name[0] >= 'A' && name[0] <= 'Z'
}

func IsTestName(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Benchmark") ||
		strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}

// isTestFile reports whether a position is in a test file, whatever a line directive
// says of it.
func isTestFile(fset *token.FileSet, pos token.Pos) bool {
	return pos.IsValid() && strings.HasSuffix(fset.PositionFor(pos, false).Filename, "_test.go")
}
