package interleave

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// An Engine answers the questions of a package.
type Engine struct {
	graph *callgraph.Graph
	prog  *ssa.Program
	known *Knowledge
	spent int // instructions that were executed
	// ways caches, for a block, the blocks that it can be reached from.
	ways    map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool
	answers map[asked]Answer
}

// New returns an engine for the functions of a call graph.
func New(g *callgraph.Graph) *Engine {
	e := &Engine{graph: g, ways: make(map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool), answers: make(map[asked]Answer)}
	if len(g.Funcs) > 0 {
		e.prog = g.Funcs[0].Fn.Prog
	}
	return e
}

// A Question is whether the rival Second, between the instructions Check and Act of First, does
// harm.
type Question struct {
	First, Second Unit
	Check, Act    ssa.Instruction
}

// A Verdict is the answer to a question.
type Verdict uint8

const (
	Unknown Verdict = iota
	Serializable
	Harmful
)

// String returns the verdict as a word.
func (v Verdict) String() string { return [...]string{"unknown", "serializable", "harmful"}[v] }

// An Answer is a verdict with its reason.
type Answer struct {
	Verdict Verdict
	// Why says what is not modelled, or what is different.
	Why  string
	Kind Kind // of the difference
	// Stale says that the run is a stale decision: T2 does what it does before T1, and T1 acts
	// afterwards as if T2 had not run.
	Stale bool
	// Outcome is what comes of the run, as far as it differs from the serial orders, and Serial
	// what comes of those.
	Outcome string
	Serial  []string
	Run     []Step // the harmful run
	// Cost is the number of instructions that were executed, and Leaves that of the start states.
	Cost, Leaves int
}

// String describes the answer in a line.
func (a Answer) String() string {
	switch {
	case a.Verdict == Harmful:
		return fmt.Sprintf("%s (%s): %s", a.Verdict, a.Kind, a.Why)
	case a.Why != "":
		return a.Verdict.String() + ": " + a.Why
	}
	return a.Verdict.String()
}

// An asked question identifies an answer.
type asked struct {
	first, second *ssa.Function
	check, act    ssa.Instruction
}

// An Action is what happens in a step of a run.
type Action uint8

const (
	Reads    Action = iota // a cell of the start state is read
	Writes                 // it is written
	Released               // a lock is released
	Switched               // the other unit goes on
)

// A Step is something that happens to shared memory in a run.
type Step struct {
	Unit   int // 1 or 2
	Action Action
	Pos    token.Pos
	Place  string // the cell, or the lock
	Value  string
}

// String describes the step.
func (s Step) String() string {
	switch s.Action {
	case Reads:
		return fmt.Sprintf("T%d reads %s: %s", s.Unit, s.Place, s.Value)
	case Writes:
		return fmt.Sprintf("T%d writes %s: %s", s.Unit, s.Place, s.Value)
	case Released:
		return fmt.Sprintf("T%d releases %s", s.Unit, s.Place)
	}
	return "the other goroutine goes on"
}

// A Unit is a function that one goroutine calls.
type Unit struct {
	Fn    *ssa.Function
	Entry []lockset.Guard // locks that all its callers hold
}

// A Kind is what two outcomes differ in. The order is that of seriousness, the worst first.
type Kind uint8

const (
	Crash    Kind = iota // a unit panics
	State                // the shared state afterwards
	Effect               // what is done to the world outside
	Result               // what a unit returns
	identity             // which of several objects it is, where it is not known whether that matters
	none
)

// String returns the kind as a word.
func (k Kind) String() string {
	return [...]string{"crash", "state", "effect", "result", "identity", "none"}[k]
}
