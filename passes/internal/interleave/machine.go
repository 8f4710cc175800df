package interleave

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A foreignCall is a call of a function without a body.
type foreignCall struct {
	thread int
	name   string
	recv   string // the object, "" if it is not shared
	reads  bool   // the result has data
	pure   bool
}

// A lock is the state of a lock: who holds it, and how often it is held for reading.
type lock struct {
	writer  int // thread, or -1
	readers [2]int
}

// An object is memory in a run: of the start state, or made in the run.
type object struct {
	id  string
	typ types.Type
	// base names the cells that have not been written: those of the start state, or of what a
	// function without a body has made. An object that is made here has none, and zeros in them.
	base string
	// made names the call or the allocation that has made the object, "" in the start state.
	made  string
	cells map[string]*cell
	paths []string // of the cells, in the order of first use
	// entries are the elements of a map.
	entries []*element
}

type cell struct {
	val     value
	typ     types.Type
	field   *types.Var
	written bool
}

// An element is an entry of a map in a run.
type element struct {
	entry
	before, written bool // before says that the start state has it
}

// An event is a step whose value is not yet described.
type event struct {
	Step
	val value
}

func (e *Engine) position(pos token.Pos) string {
	p := e.graph.Fset.Position(pos)
	return fmt.Sprintf("%d:%d", p.Line, p.Column)
}

// An abort ends a run without an outcome.
type abort struct {
	kind abortKind
	why  string
}

type abortKind uint8

const (
	infeasible abortKind = iota // the choices contradict each other: there is no such run
	bounded                     // the run is too long
	unmodelled                  // the run does what is not modelled
	stuck                       // no unit can go on
	crashed                     // a unit panics
)

// A run is an execution of both units.
type run struct {
	w       *world
	e       *Engine
	objects map[string]*object
	order   []string // of the objects, as they are first used
	threads [2]*thread
	steps   int
	locks   map[string]*lock
	// uses are the accesses to cells of the start state, by cell: bits of both units.
	uses    map[string]uint8
	effects []effect
	foreign []foreignCall
	// sent and received are the open channels that values were sent to, or received from.
	sent, received map[string]bool
	now            token.Pos // of the access that is being made
	log            []event
}

// An effect is something that a unit does to the world outside.
type effect struct {
	unit int // number of the thread
	what string
	args []value
}

// A thread executes one unit.
type thread struct {
	id     int // 0 for T1, 1 for T2
	r      *run
	unit   *Unit
	frames []*frame
	done   bool
	result value
	// boundary is set by an instruction after which another goroutine may run.
	boundary bool
	// waits names what the next instruction waits for, "" if it can be executed.
	waits  string
	allocs int
	calls  map[string]int // numbers of the calls that have a new result each time
	needs  []held         // locks that the caller of the unit takes first
	held   []held         // those that it has taken
}

// A frame is a call.
type frame struct {
	fn     *ssa.Function
	block  *ssa.BasicBlock
	prev   *ssa.BasicBlock
	pc     int
	env    map[ssa.Value]value
	defers []pending
	visits map[*ssa.BasicBlock]int
	// leave is called with the result. It is nil for the call of the unit.
	leave func(result value)
}

// A pending call was deferred.
type pending struct {
	instr ssa.CallInstruction
	fn    value
	args  []value
}

// A held lock is one that the caller of a unit holds.
type held struct {
	name   string
	shared bool
}
