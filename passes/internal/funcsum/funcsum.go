// Package funcsum summarizes functions: the locks that one takes, the accesses that it
// makes to shared memory and the critical sections that these lie in, and what its
// results and writes depend on. Everything is in the terms of the function (its
// parameters, free variables and package variables), and is translated at each call by
// substituting access paths.
//
// Functions are summarized callees first; of a cycle of calls all functions are done again
// until their summaries stay the same (see build.go). Lock states are must-information,
// accesses and dependencies may-information. What is left out for size are reads before
// writes. Code that is only reached with an object that no other goroutine has yet does
// not count: publication is in publish.go.
//
// The files, in the order of the work: translate (callees' paths), locks and acquire (what
// instructions do to locks), collect, collectcall and out (accesses), depend, added and
// truth (what they depend on), merge, results and effects (the summary), build (the
// order), and questions that detectors ask of one function: order, alternatives, sink,
// join, presence, steps, names.
package funcsum

import (
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"golang.org/x/tools/go/ssa"
)

// A SumFunc is a function with its summary, and what that was made from.
type Body struct {
	*callgraph.Node
	in  *Summaries
	Sum *fact.FuncSummary
	Res *accesspath.Resolver
	// Flow is nil for functions that have nothing to do with locks.
	Flow *lockset.Flow
	// Events are the accesses to shared memory, in order.
	Events []*Event

	State buildState
	// index and low are the numbers of the function and of the first function of its
	// component that is known: see builder.
	index, low int
	// component is the number of the cycle of calls that the function is in, if any.
	component int
	// recursive says that the function calls itself.
	recursive bool
	// seen are the summaries that the function has had, encoded, if it is in a component.
	seen map[string]bool
	// asked are the functions of the package whose summaries this one was made from.
	asked map[callgraph.FuncID]bool
	// published caches where new objects are given to others.
	published map[accesspath.Path]int
	// callees caches how calls are resolved.
	callees map[*ssa.CallCommon][]callgraph.Callee
	slicer  *depgraph.Slicer
	ops     map[ssa.Instruction][]lockset.Op
	slices  map[ssa.Value]depgraph.Slice
	order   *Order
	// ResultReads are the read events that each result depends on.
	ResultReads [][]int
	claims      []claim // see claimList
	takings     []Taking
	sinks       []Sink
	steps       map[ssa.Instruction][]Step // see Steps
}

// A SumPackage has the summaries of the functions of a package.
type Summaries struct {
	*callgraph.Graph
	Funcs    []*Body
	controls map[*ssa.Function]*depgraph.Control
	builder
}

// of returns the summarized form of a function.
func (p *Summaries) of(f *callgraph.Node) *Body { return p.Funcs[f.ID] }

func (p *Summaries) control(fn *ssa.Function) *depgraph.Control {
	c := p.controls[fn]
	if c == nil {
		c = depgraph.NewControl(fn)
		p.controls[fn] = c
	}
	return c
}
