// Package funcsum computes function summaries: the locks that a function acquires and
// releases, its accesses to shared memory, the critical sections that contain them, and the
// dependences of its results and writes. A summary is in the terms of the function (its
// parameters, free variables and package variables) and is translated at each call by
// substitution of access paths. A critical section is called a Region as part of a summary,
// and a Passage as part of the body of a function.
//
// Summaries are computed callees first; the functions of a cycle of calls are summarized
// repeatedly until their summaries are stable (see build.go). Lock states are must-hold
// information, accesses and dependences may-information. Summaries have bounded size, and
// reads are left out before writes. Accesses to an object before its publication are left
// out too (see publish.go).
//
// The files, in the order of the computation: translate (paths of callees), variable (local
// variables that goroutines share), locks and
// acquire (operations on locks), publish and keeps (publication and confinement of new
// objects), collect, collectcall and out (accesses), closed, ownsignal, cancellation and await
// (channels and contexts as flags), copies (what was read, in local variables), slice, depend, added,
// truth and assert (dependences), claim, claimed and leftover (in-progress flags), merge, results and effects (the
// summary), and build (the order of functions). Questions of detectors about one function are
// answered by order, alternatives, sink, join, presence, effect and names, those about one
// instruction by reader.
package funcsum

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A Body is a function with its summary and the analysis results that the summary is
// computed from.
type Body struct {
	*callgraph.Node
	in *Summaries
	// Sum is the summary.
	Sum *fact.FuncSummary
	// Res resolves values to access paths.
	Res *accesspath.Resolver
	// Flow has the lock state at each instruction. It is nil for functions that do not
	// concern locks.
	Flow *lockset.Flow
	// Events are the accesses to shared memory, in the order of the instructions.
	Events []*Event

	// State is the progress of the computation of Sum.
	State buildState
	// index is the number of the function in the depth-first search, and low the smallest
	// such number of its component that is known: see builder.
	index, low int
	// component is the number of the strongly connected component, 0 if the function is in
	// no cycle of calls.
	component int
	// recursive is set if the function's summary is needed for the computation of itself.
	recursive bool
	// seen are the encodings of all summaries that a function of a cycle has had.
	seen map[string]bool
	// uses are the summaries of functions of the package that Sum is computed from.
	uses map[callgraph.FuncID]*fact.FuncSummary
	// published caches Publications.
	published map[accesspath.Path]int
	// callees caches Callees.
	callees map[*ssa.CallCommon][]callgraph.Callee
	slicer  *depgraph.Slicer
	ops     map[ssa.Instruction][]lockset.Op
	slices  map[ssa.Value]depgraph.Slice
	// determiner is the slicer of Determining.
	determiner *depgraph.Slicer
	order      *Order
	// ResultReads are, for each result, the indexes into Events of the reads that it
	// depends on.
	ResultReads [][]int
	claims      []claim    // cache of claimList
	left        []leftover // cache of leftovers
	leftKnown   bool
	takings     []Taking
	sinks       []Sink
}

// Summaries has the functions of a package with their summaries.
type Summaries struct {
	*callgraph.Graph
	// Funcs are the functions, by callgraph.FuncID.
	Funcs    []*Body
	controls map[*ssa.Function]*depgraph.Control
	// functions says which functions compute their results from their arguments: see
	// isFunction.
	functions map[callgraph.FuncID]bool
	// variables has the local variables that are locations, and leaving caches leaves.
	variables map[accesspath.Location]*ssa.Alloc
	leaving   map[*ssa.Alloc]bool
	// retentions caches retains, and retaining are the parameters that it is being computed for.
	retentions map[retained]retention
	retaining  []retained
	// needs caches needsParam.
	needs map[need]bool
	// demand completes the summary of a function of the package, see builder.
	demand func(*Body)
}

// A need is the question whether a function needs a parameter, asked as many calls deep.
type need struct {
	param *ssa.Parameter
	depth int
}

// of returns the body of a function.
func (p *Summaries) of(f *callgraph.Node) *Body { return p.Funcs[f.ID] }

func (p *Summaries) control(fn *ssa.Function) *depgraph.Control {
	c := p.controls[fn]
	if c == nil {
		c = depgraph.NewControl(fn)
		p.controls[fn] = c
	}
	return c
}

type buildState uint8

const (
	unbuilt buildState = iota
	building
	pending // summarized once, in an incomplete component
	// Built is the state of a function with a final summary.
	Built
)

// SummaryOf returns the summary of a callee, which it computes if necessary, or nil for an
// unknown or irrelevant callee.
func (p *Summaries) SummaryOf(c callgraph.Callee) *fact.FuncSummary {
	if c.Fn == nil {
		return c.Sum
	}
	if !c.Fn.Relevant {
		return nil
	}
	p.demand(p.of(c.Fn))
	return p.of(c.Fn).Sum
}

// Ops returns the operations on locks of the instructions of f.
func (f *Body) Ops() map[ssa.Instruction][]lockset.Op { return f.ops }

// Instr returns the instruction with the given ordinal, or nil.
func (f *Body) Instr(ord int) ssa.Instruction { return ssautil.At(f.Fn, ord) }
