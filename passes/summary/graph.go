package summary

import (
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/cfgpath"
)

// funcID is the index of a function in GraphPackage.Funcs.
type funcID = int

// A GraphFunc is a function of the package that is being analyzed, with what one look
// at its instructions says of it.
type GraphFunc struct {
	Fn *ssa.Function

	id    funcID
	paths *cfgpath.Paths // see Paths
	// test says that the function is declared in a test file.
	test  bool
	calls []call // of functions of the package
	// shares says that the function mentions locks, atomics or goroutines,
	// or calls functions of other packages that do.
	shares bool
	// named says that the function is used as a value.
	named bool
	// relevant says that a summary of the function can say something.
	relevant bool
}

// Paths returns the paths of control through f.
func (f *GraphFunc) Paths() *cfgpath.Paths {
	if f.paths == nil {
		f.paths = cfgpath.New(f.Fn)
	}
	return f.paths
}

// A call is a use of a function of the package by another.
type call struct {
	instr  ssa.CallInstruction // nil for a literal that escapes
	callee funcID
	kind   CallKind
}

// A GraphPackage is the call graph of a package, with what is known of its channels,
// condition variables and fields from how they are made and set.
type GraphPackage struct {
	Pkg   *types.Package
	Fset  *token.FileSet
	Funcs []*GraphFunc

	byFn    map[*ssa.Function]*GraphFunc
	byObj   map[*types.Func]*GraphFunc
	methods map[string][]*GraphFunc // by name, for interface calls
	foreign *foreign
	tokens  map[accesspath.Location]tokenUse
	conds   map[accesspath.Location]string
	// funcFields are the fields that hold functions: see fieldCallees.
	funcFields map[accesspath.Location]funcField
	// written are the fields and package variables that are written after
	// the object that they belong to was made.
	written map[types.Object]bool
	// given are the types that values given to others may have.
	given map[*types.TypeName]bool
	// implementers caches how interface calls are resolved.
	implementers map[ifaceMethod][]callee
}

// NewGraph makes the call graph of a package. foreign knows the functions of other packages.
func NewGraph(pkg *types.Package, fset *token.FileSet, prog *buildssa.SSA, foreign *foreign) *GraphPackage {
	p := &GraphPackage{
		Pkg:          pkg,
		Fset:         fset,
		byFn:         make(map[*ssa.Function]*GraphFunc, len(prog.SrcFuncs)),
		byObj:        make(map[*types.Func]*GraphFunc, len(prog.SrcFuncs)),
		methods:      make(map[string][]*GraphFunc),
		foreign:      foreign,
		tokens:       make(map[accesspath.Location]tokenUse),
		conds:        make(map[accesspath.Location]string),
		funcFields:   make(map[accesspath.Location]funcField),
		written:      make(map[types.Object]bool),
		implementers: make(map[ifaceMethod][]callee),
	}
	for _, fn := range prog.SrcFuncs {
		if len(fn.Blocks) == 0 {
			continue
		}
		f := &GraphFunc{Fn: fn, id: len(p.Funcs), test: isTestFile(fset, fn.Pos())}
		p.Funcs = append(p.Funcs, f)
		p.byFn[fn] = f
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

// pos returns a position with the text that names it in other packages.
func (p *GraphPackage) pos(at token.Pos) Pos {
	if !at.IsValid() {
		return Pos{}
	}
	pos := p.Fset.Position(at)
	return Pos{Pos: at, Text: filepath.Base(pos.Filename) + ":" + strconv.Itoa(pos.Line)}
}

// exported reports whether other packages can call f.
func (f *GraphFunc) exported() bool {
	return f.Fn.Parent() == nil && isExportedName(f.Fn.Name())
}

func isExportedName(name string) bool {
	return name != "" && name[0] >= 'A' && name[0] <= 'Z'
}

func isTestName(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Benchmark") ||
		strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}

// isTestFile reports whether a position is in a test file, whatever a line directive
// says of it.
func isTestFile(fset *token.FileSet, pos token.Pos) bool {
	return pos.IsValid() && strings.HasSuffix(fset.PositionFor(pos, false).Filename, "_test.go")
}
