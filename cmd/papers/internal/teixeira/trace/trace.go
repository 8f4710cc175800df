// Package trace finds in what order the functions of a package go through critical
// sections, and what these access: the trees of traces of Teixeira et al. (see
// package teixeira), folded into the functions. It is for the evaluation alone.
//
// A critical section, or atom, goes from the taking of a lock, any lock, while none
// is held, until none is held. Calls of functions of the package are followed;
// what they do while a lock is held belongs to the atom. Two atoms are consecutive
// on a way through a function if there is no other atom between them. A loop is
// gone through once, or not at all.
//
// It is made for small programs: larger packages are left out, and the ways through
// a function that come after the first thousands.
//
// TryLock is taken to succeed. Waiting for a condition does not end an atom. What a
// sync.Once runs is left out.
package trace

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/summary"
)

// An Atom is a critical section, known by where its first lock is taken.
type Atom struct {
	Accesses
	Func *summary.Func
}

// Name returns the name of the function that takes the lock.
func (a *Atom) Name() string { return summary.Name(a.Func.Fn) }

// An Occurrence is an atom as it is seen in a function: it begins at the
// instruction, or inside a function that is called there.
type Occurrence struct {
	Instr ssa.Instruction
	*Atom
}

// A Pair is two occurrences that are consecutive on a way through one function.
type Pair struct{ First, Second Occurrence }

// A Trace sums up the ways through a function.
type Trace struct {
	// All is what the function accesses, in and out of atoms, with what it calls.
	All Accesses
	// Atoms are those that the function goes through.
	Atoms map[Occurrence]bool
	// Pairs are the consecutive ones, but for those in one call.
	Pairs map[Pair]bool

	first, last []*Atom // those a way may begin and end with
	empty       bool    // there is a way without atoms
}

// maxFuncs bounds the functions of a package, and maxWays how often a block of one
// is entered.
const (
	maxFuncs = 500
	maxWays  = 2000
)

// Traces are those of a package.
type Traces struct {
	Of map[*summary.Func]*Trace

	pass    *analysis.Pass
	pkg     *summary.Package
	atoms   map[ssa.Instruction]*Atom    // by where they begin
	owns    map[ssa.Instruction]Accesses // of instructions: see own
	changed bool                         // something, since that was last cleared
}

// New computes the traces of a package: the least fixpoint over the calls.
func New(pass *analysis.Pass, p *summary.Package) *Traces {
	t := &Traces{
		Of:    make(map[*summary.Func]*Trace),
		pass:  pass,
		pkg:   p,
		atoms: make(map[ssa.Instruction]*Atom),
		owns:  make(map[ssa.Instruction]Accesses),
	}
	for _, f := range p.Funcs {
		t.Of[f] = &Trace{
			All:   newAccesses(),
			Atoms: make(map[Occurrence]bool),
			Pairs: make(map[Pair]bool),
		}
	}
	for t.changed = len(p.Funcs) <= maxFuncs; t.changed; {
		t.changed = false
		for _, f := range p.Funcs {
			w := &walker{Traces: t, f: f, trace: t.Of[f], steps: t.pkg.Steps(f)}
			w.walk()
		}
	}
	return t
}

// Atoms returns the atoms of the package, in no order.
func (t *Traces) Atoms() []*Atom {
	return slices.Collect(maps.Values(t.atoms))
}

// atomAt returns the atom that begins at an instruction of f.
func (t *Traces) atomAt(f *summary.Func, instr ssa.Instruction) *Atom {
	a := t.atoms[instr]
	if a == nil {
		a = &Atom{newAccesses(), f}
		t.atoms[instr] = a
	}
	return a
}
