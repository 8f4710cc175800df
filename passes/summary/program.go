package summary

import (
	"fmt"
	"go/token"
	"go/types"
	"iter"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// funcID is the index of a function in Package.Funcs.
type funcID = int

// A Func is a function of the package that is being analyzed.
type Func struct {
	Fn  *ssa.Function
	Sum *FuncSummary
	Res *accesspath.Resolver
	// Flow is nil for functions that have nothing to do with locks.
	Flow *lockset.Flow
	// Events are the accesses to shared memory, in order.
	Events []*Event
	// Entry are the locks that all callers hold.
	Entry []lockset.Guard

	id    funcID
	calls []call // of functions of the package
	state buildState
	// shares says that the function mentions locks, atomics or goroutines,
	// or calls functions of other packages that do.
	shares bool
	// named says that the function is used as a value.
	named bool
	// recursive says that the summary was needed to compute itself.
	recursive bool
	// fields are those that the function mentions.
	fields []*types.Var
	// relevant says that a summary of the function can say something.
	relevant bool
	// constructs says that the function is only called on objects that
	// nobody else knows yet.
	constructs bool
	// published caches where new objects are given to others.
	published map[accesspath.Path]int
	// callees caches how calls are resolved.
	callees map[*ssa.CallCommon][]callee
	slicer  *depgraph.Slicer
	ops     map[ssa.Instruction][]lockset.Op
	slices  map[ssa.Value]depgraph.Slice
	order   *Order
	// resultReads are the read events that each result depends on.
	resultReads [][]int
	passages    []Passage
	claims      []claim // see claimList
	takings     []Taking
	contexts    []Context
	sinks       []Sink
	steps       map[ssa.Instruction][]Step // see Steps
}

type buildState uint8

const (
	unbuilt buildState = iota
	building
	built
)

// A call is a use of a function of the package by another.
type call struct {
	instr  ssa.CallInstruction // nil for a literal that escapes
	callee funcID
	kind   CallKind
}

// A Package is the result of the analyzer: the summaries of the functions of a
// package and what its locations are guarded by.
type Package struct {
	Funcs    []*Func
	failures []string
	pass     *analysis.Pass
	byFn     map[*ssa.Function]*Func
	byObj    map[*types.Func]*Func
	foreign  foreign
	tokens   map[accesspath.Location]tokenUse
	conds    map[accesspath.Location]string
	// funcFields are the fields that hold functions: see fieldCallees.
	funcFields map[accesspath.Location]funcField
	fieldCalls []fieldCall
	// written are the fields and package variables that are written after
	// the object that they belong to was made.
	written  map[types.Object]bool
	controls map[*ssa.Function]*depgraph.Control
	methods  map[string][]*Func // methods by name, for interface calls
	// givenTypes caches which types others have values of: see given.
	givenTypes map[*types.TypeName]bool
	// implementers caches how interface calls are resolved.
	implementers map[ifaceMethod][]callee
	locs         map[accesspath.Location]*LocInfo
	// notifications caches who tells whom: see Notifies.
	notifications pairing[Writer]
	listsOf       map[listKey][]list
	// closings caches who closes objects: see Closes.
	closings pairing[Closing]
	// derived caches what is computed from what: see Derives.
	derived pairing[Writer]
	// outerLocks are the locks that this package holds wherever it calls a
	// writer of another one: see shield.
	outerLocks map[string][]accesspath.Location
	// parts and partWriters cache which objects are private to a field, and
	// who writes them: see Writers.
	parts       map[part]bool
	partWriters map[ownedLoc][]Writer
	correlation *correlation // see Loose
	procs       *process.Graph
	views       []*View
	accessViews []*View // see AccessViews
	answers     map[pairQuestion]bool
	// viewIndex has the views by location, those of other packages as far as
	// they were asked for.
	viewIndex map[accesspath.Location][]*View
	turn      sync.Mutex
}

// Acquire gives the package to one detector until that calls release. Drivers
// run the detectors of a package at the same time, and what they ask for is
// computed when it is first asked for.
func (p *Package) Acquire() (release func()) {
	p.turn.Lock()
	return p.turn.Unlock
}

// newPackage lists the functions of a package and resolves their calls.
func newPackage(pass *analysis.Pass, prog *buildssa.SSA) *Package {
	p := &Package{
		pass:         pass,
		byFn:         make(map[*ssa.Function]*Func, len(prog.SrcFuncs)),
		byObj:        make(map[*types.Func]*Func, len(prog.SrcFuncs)),
		tokens:       make(map[accesspath.Location]tokenUse),
		conds:        make(map[accesspath.Location]string),
		funcFields:   make(map[accesspath.Location]funcField),
		written:      make(map[types.Object]bool),
		controls:     make(map[*ssa.Function]*depgraph.Control),
		locs:         make(map[accesspath.Location]*LocInfo),
		implementers: make(map[ifaceMethod][]callee),
	}
	p.foreign.init(pass)
	for _, fn := range prog.SrcFuncs {
		if len(fn.Blocks) == 0 {
			continue
		}
		f := &Func{Fn: fn, id: len(p.Funcs)}
		p.Funcs = append(p.Funcs, f)
		p.byFn[fn] = f
		if obj, ok := fn.Object().(*types.Func); ok {
			p.byObj[obj] = f
		}
	}
	return p
}

// Failures returns what went wrong and was not returned before: whichever detector
// comes first reports it.
func (p *Package) Failures() []string {
	out := p.failures
	for _, err := range p.foreign.errs {
		out = append(out, fmt.Sprintf("atomvet cannot read what it knows of a dependency: %v", err))
	}
	p.failures, p.foreign.errs = nil, nil
	return out
}

// sharing returns the functions that run on objects others may know, outside of tests.
func (p *Package) sharing() iter.Seq[*Func] {
	return func(yield func(*Func) bool) {
		for _, f := range p.Funcs {
			if f.state == built && !f.constructs && !p.inTest(f) && !yield(f) {
				return
			}
		}
	}
}

// Constructs reports whether f only runs on objects that nobody else knows yet.
func (f *Func) Constructs() bool { return f.constructs }

// Lookup returns the Func of a function of the package, or nil.
func (p *Package) Lookup(fn *ssa.Function) *Func { return p.byFn[fn] }

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
func (p *Package) pos(at token.Pos) Pos {
	if !at.IsValid() {
		return Pos{}
	}
	pos := p.pass.Fset.Position(at)
	return Pos{Pos: at, Text: filepath.Base(pos.Filename) + ":" + strconv.Itoa(pos.Line)}
}

func (p *Package) control(fn *ssa.Function) *depgraph.Control {
	c := p.controls[fn]
	if c == nil {
		c = depgraph.NewControl(fn)
		p.controls[fn] = c
	}
	return c
}

// instrPos returns the position of an instruction, or of the nearest operand
// or instruction before it that has one.
func instrPos(instr ssa.Instruction) token.Pos {
	if at := instr.Pos(); at.IsValid() {
		return at
	}
	var buf [8]*ssa.Value
	for _, op := range instr.Operands(buf[:0]) {
		if *op != nil && (*op).Pos().IsValid() {
			if _, ok := (*op).(ssa.Instruction); ok {
				return (*op).Pos()
			}
		}
	}
	b := instr.Block()
	at := token.NoPos
	for _, i := range b.Instrs {
		if i == instr {
			break
		}
		if i.Pos().IsValid() {
			at = i.Pos()
		}
	}
	return at
}
