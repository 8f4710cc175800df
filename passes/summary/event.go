package summary

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// A Hold is a guard that is held at an event, with the passage through it.

type Hold struct {
	lockset.Guard
	// Sites are the instructions that may have taken the guard. For an Inner
	// hold it is the call, or the atomic operation, itself.
	Sites []int
	// Inner says that the passage begins and ends within the instruction:
	// a region of the callee, or an operation that is atomic by itself.
	Inner bool
	// entry says that it is the passage that the callee is entered in.
	entry bool
	// Region tells the inner passages of one instruction apart.
	Region int
}

// SamePassage reports whether two holds at different events may belong to one

// passage through the same guard, judged by where it began.

func (h Hold) SamePassage(o Hold) bool {
	return h.Path == o.Path && h.Inner == o.Inner && h.Region == o.Region && slices.Equal(h.Sites, o.Sites)
}

// An Event is one access to shared memory by an instruction of a function,

// directly or in a function that it calls.

type Event struct {
	Instr ssa.Instruction
	Ord   int
	Op    Op
	accesspath.Ref
	Holds []Hold
	// Values are the values through which the result of a read appears.
	Values []ssa.Value
	// Inputs are the values that are written, Conditions those on which the
	// callee decides about the write.
	Inputs, Conditions []ssa.Value
	// Callee and Index name the access of the callee that this is, if it is
	// one of a callee.
	Callee *FuncSummary
	Index  int
	// Within is the literal that makes the access, if that was inlined.
	Within *Event
	// Const is the text of the constant that a Fixed write stores.
	Const string
	Pos   Pos

	// Data and Control are the events that the written value and the
	// decision to write depend on.
	Data, Control          []int
	dataParams, ctrlParams uint32
	owned, pure, clock     bool
	delta, looked, once    bool
}

// Writes and Reads classify the event.

func (e *Event) Writes() bool { return e.Op&Write != 0 }

func (e *Event) Reads() bool { return e.Op&Read != 0 }

// Pure says that a plain value that does not come from shared memory is written.

func (e *Event) Pure() bool { return e.pure }

// Clock says that the current time is written.

func (e *Event) Clock() bool { return e.clock }

// Delta says that an amount is added to what is there, or taken away.

func (e *Event) Delta() bool { return e.delta }

// Looked says that a callee looks at the place itself before it writes.

func (e *Event) Looked() bool { return e.Callee != nil && e.Callee.Accesses[e.Index].Looked }

// Once says that the access is made in the function of a sync.Once.

func (e *Event) Once() bool { return e.once }

// Owned says that what was read was taken out or reserved.

func (e *Event) Owned() bool { return e.owned }

// Hold returns the hold of the given guard, or nil.

func (e *Event) Hold(p accesspath.Path) *Hold {
	for i := range e.Holds {
		if e.Holds[i].Path == p {
			return &e.Holds[i]
		}
	}
	return nil
}

// maxEvents bounds the events of one function.

// collect finds the events of f.

// publications finds where new objects of f are first given to others.

// freshBinding reports whether free variable i of a literal is bound to an

// object that nobody else knows yet, and the literal only runs while that is so.

// closureOf returns the instruction that makes the closure of a literal, or nil

// if there are several.

// ordinal returns the number of an instruction in its function.

// isCell reports whether addr is a variable of the function.

// closureEscapes reports whether a literal is used otherwise than to be called,

// deferred, or kept in a variable.

// A collector finds the events of one instruction.

// constText returns the text of v if it is a constant.

// add records an event with the locks held now, unless nobody else can see it.

// splice joins the locks held at an instruction with the passages inside it. A

// callee that gives up a lock of its caller and takes it again begins the

// passage that the caller is in afterwards.

// isSyncLocation reports whether l is inside a lock.

// fields adds the events for the fields of a struct that is copied as a whole.

// address returns what the memory at addr is, if it may be shared: a variable

// of the function is not, though it may be named by what it holds.

// call adds the events of a call: those of builtin operations on containers and

// atomics, and those of the callee.

// atomicMark makes the pseudo-guard of an atomic operation out of the path that

// it works on.

// syncCall adds the event of an operation of sync/atomic or sync.Map.

// once adds the events of a function that is run under a sync.Once.

// resultValues returns the values of a call's results.

// resultValue returns the value of result i of a call, or nil.

// container adds the read of a container of another package that is kept by

// value in a field, when one of its methods is called.

// calleeEvents adds the events of a callee with a summary.

// matters reports whether an access of a callee can say something here: it is

// to an object that has a name in this function, or a write under a lock of it,

// which tells what that lock guards.

// innerHolds makes the passages through the regions of a callee.

// translateGuard is translate for a guard, which may be an atomic's.

// access makes the event of one access of a callee.

// memberPath returns the path of location l of the object at base.

// mutations adds writes to what the arguments hold for a callee of another

// package that writes through its parameters.

// literal adds the events of a function literal that a callee calls, as if its

// body stood in the callee. Its values are those of the literal, which the

// slices of this function follow into captured variables.
