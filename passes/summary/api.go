package summary

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/guards"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/step"
)

// The types and functions of the stages that the detectors use are aliased here, so that
// a detector imports the summary alone.

// The types of a function of the package that is analyzed.
type (
	Func      = process.Func      // a function, with the locks that its callers hold
	Event     = funcsum.Event     // an access by an instruction, its own or a callee's
	Hold      = funcsum.Hold      // a guard held at an access, with its critical section
	Taking    = funcsum.Taking    // an acquisition of a lock
	Sink      = funcsum.Sink      // an instruction with an effect of the function
	Condition = funcsum.Condition // a branch that a sink depends on
	Join      = funcsum.Join      // a use of two values together
	// Selection is a pair of reads of which the first decides that the second is made.
	Selection = funcsum.Selection
	// Collection is how the elements of a list were chosen.
	Collection = funcsum.Collection
	Step       = step.Step      // an effect of an instruction, in control-flow order
	Callee     = step.Callee    // a function that a call may run
	Way        = funcsum.Way    // a question about paths between two instructions
	Passage    = guards.Passage // a critical section, with its accesses
)

// The types of facts.
type (
	FuncSummary = fact.FuncSummary // the summary of a function, in its own terms
	Access      = fact.Access      // an access in a summary
	Acquisition = fact.Acquisition // a lock that a function takes and releases
	LocInfo     = fact.LocInfo     // the writers and guards of a location
	Writer      = fact.Writer      // a write of a location after publication
	View        = fact.View        // the variables that a critical section accesses
	Var         = fact.Var         // a variable of a view
	Op          = fact.Op          // what an access does
	Pos         = fact.Pos         // a position, also in another package

	PackageSummary = fact.PackageSummary // all facts of a package
)

// The operations of an access, a set of bits. See package fact.
const (
	Read     = fact.Read
	Write    = fact.Write
	Delete   = fact.Delete
	Compare  = fact.Compare
	Presence = fact.Presence
	Content  = fact.Content
	Fixed    = fact.Fixed
)

// Looked is the trait of a write that is revalidated where it is made. See package fact.
const Looked = fact.Looked

// Called and Spawned are uses of a function: it is called, or started as a goroutine. See
// package fact.
const (
	Called  = fact.Called
	Spawned = fact.Spawned
)

// An Effect is what a write does to a number or a container. See package fact.
type Effect = fact.Effect

// The effects of a write.
const (
	Anything = fact.Anything
	Removes  = fact.Removes
	Fills    = fact.Fills
	Raises   = fact.Raises
	Lowers   = fact.Lowers
)

// What a result that is a flag says. See package fact.
const (
	Untold  = fact.Untold
	Plain   = fact.Plain
	Negated = fact.Negated
)

// The kinds of views. See package fact.
const (
	WriteView  = fact.WriteView
	ReadView   = fact.ReadView
	AccessView = fact.AccessView
	PairView   = fact.PairView
	JoinedView = fact.JoinedView
	OrderView  = fact.OrderView
)

// The places where two values are used together. See package funcsum.
const (
	JoinedInResult   = funcsum.JoinedInResult
	JoinedInDecision = funcsum.JoinedInDecision

	JoinedBySelection = funcsum.JoinedBySelection
)

// The kinds of steps. See package step.
const (
	AccessStep   = step.Access
	LockStep     = step.Lock
	CallStep     = step.Call
	RepeatedStep = step.Repeated
	SpawnStep    = step.Spawn
	ArgumentStep = step.Argument
	SignalStep   = step.Signal
	AwaitStep    = step.Await
)

// Name returns the name of a function as messages show it.
func Name(fn *ssa.Function) string { return callgraph.Name(fn) }

// SharePassage reports whether a and b may lie in one critical section.
func SharePassage(a, b *Event) bool { return funcsum.SharePassage(a, b) }

// IsSignalFlag reports whether a location is the flag that the channel or context in a field
// stands for.
func IsSignalFlag(l accesspath.Location) bool { return funcsum.IsSignalFlag(l) }

// AbsentSide returns the successor of a branch on cond that is taken if the element that
// e looked up is absent, or -1 if the condition does not imply it on one side.
func AbsentSide(cond ssa.Value, e *Event) int { return funcsum.AbsentSide(cond, e) }

// IsReceiver reports whether v is the receiver of a call of a known method, and no other
// argument of it.
func IsReceiver(c ssa.CallInstruction, v ssa.Value) bool { return funcsum.IsReceiver(c, v) }

// IsText reports whether a call only formats its arguments as text, or logs them.
func IsText(c *ssa.CallCommon) bool { return funcsum.IsText(c) }

// Concerns reports whether a lock may protect location l of the object at base.
func Concerns(g lockset.Guard, l accesspath.Location, base accesspath.Path) bool {
	return guards.Concerns(g, l, base)
}
