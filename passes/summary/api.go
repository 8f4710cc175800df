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
)

// What the detectors work with, under one name: the stages declare it.

// A function, and what it does.
type (
	Func    = process.Func
	Event   = funcsum.Event
	Hold    = funcsum.Hold
	Taking  = funcsum.Taking
	Sink    = funcsum.Sink
	Join    = funcsum.Join
	Step    = funcsum.Step
	Callee  = funcsum.Callee
	Way     = funcsum.Way
	Passage = guards.Passage
)

// What facts say.
type (
	FuncSummary = fact.FuncSummary
	Access      = fact.Access
	Acquisition = fact.Acquisition
	LocInfo     = fact.LocInfo
	Writer      = fact.Writer
	View        = fact.View
	Var         = fact.Var

	PackageSummary = fact.PackageSummary
)

// Closing is a function that closes an object.
type Closing = guards.Closing

// The operations of an access.
const (
	Read     = fact.Read
	Write    = fact.Write
	Delete   = fact.Delete
	Compare  = fact.Compare
	Presence = fact.Presence
	Content  = fact.Content
	Fixed    = fact.Fixed
)

// The effects of a write.
const (
	Anything = fact.Anything
	Removes  = fact.Removes
	Fills    = fact.Fills
	Raises   = fact.Raises
	Lowers   = fact.Lowers
)

// What a flag tells.
const (
	Untold  = fact.Untold
	Plain   = fact.Plain
	Negated = fact.Negated
)

// The kinds of views.
const (
	WriteView  = fact.WriteView
	ReadView   = fact.ReadView
	AccessView = fact.AccessView
	PairView   = fact.PairView
	JoinedView = fact.JoinedView
)

// Where two values come together.
const (
	JoinedInResult   = funcsum.JoinedInResult
	JoinedInDecision = funcsum.JoinedInDecision
)

// The kinds of steps.
const (
	AccessStep   = funcsum.AccessStep
	LockStep     = funcsum.LockStep
	CallStep     = funcsum.CallStep
	RepeatedStep = funcsum.RepeatedStep
	SpawnStep    = funcsum.SpawnStep
	ArgumentStep = funcsum.ArgumentStep
	SignalStep   = funcsum.SignalStep
	AwaitStep    = funcsum.AwaitStep
)

// Name returns the name of a function as messages show it.
func Name(fn *ssa.Function) string { return callgraph.Name(fn) }

// SharePassage reports whether a and b may lie in one passage through a guard.
func SharePassage(a, b *Event) bool { return funcsum.SharePassage(a, b) }

// Reaches reports whether control can flow from a to b.
func Reaches(a, b ssa.Instruction) bool { return funcsum.Reaches(a, b) }

// AbsentSide returns the successor of a branch on cond that is taken if what e looked up
// is not there, or -1 if the condition does not tell.
func AbsentSide(cond ssa.Value, e *Event) int { return funcsum.AbsentSide(cond, e) }

// IsReceiver reports whether v is the receiver of a call of a known method, and no other
// argument of it.
func IsReceiver(c ssa.CallInstruction, v ssa.Value) bool { return funcsum.IsReceiver(c, v) }

// NeedsReceiver reports whether a method looks into its receiver before it decides
// anything: it fails if that is nil.
func NeedsReceiver(fn *ssa.Function) bool { return funcsum.NeedsReceiver(fn) }

// Concerns reports whether a lock can be what protects a location of the object at base.
func Concerns(g lockset.Guard, l accesspath.Location, base accesspath.Path) bool {
	return guards.Concerns(g, l, base)
}
