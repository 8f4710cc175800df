// Package fact says what packages tell each other: the summaries of functions, what is
// known of locations, and the views, with their form as a fact and the codec.
//
// All of a package travels in one package fact, as drivers decode every fact of every
// dependency. A summary is decoded when a call asks for it (see Foreign). What an access
// is like is one set (see Traits), which is merged, encoded and printed as a whole: a new
// trait is a constant and a name. Fields that hold for the analyzed package only, such as
// Writer.Fn and Pos.Pos, are not encoded.
//
// The package describes; it analyzes nothing.
package fact

import (
	"go/token"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// Op says what an access does to its location.
type Op uint8

const (
	Read  Op = 1 << iota
	Write    // with Read: one atomic step, such as an Add or a Swap
	// Delete is a write that only removes an element.
	Delete
	// Compare is an atomic step that acts only if the location still has an
	// expected value: CompareAndSwap, LoadOrStore.
	Compare
	// Presence is a read of whether there is an element, not of its value.
	Presence
	// Content is an access to what a method of another package's type keeps
	// inside the location.
	Content
	// Fixed is a write of a constant.
	Fixed
)

// An Access is one access of a function to shared memory, its own or that of a
// function it calls, in the terms of the function. Accesses of the same kind
// to the same place in the same regions are one Access.
type Access struct {
	Op   Op
	Loc  accesspath.Location
	Base accesspath.Path // the object
	Key  accesspath.Key  // the element, "" for the whole
	// Regions is the set of regions that the access lies in, as a bit set of
	// indexes into FuncSummary.Regions.
	Regions uint64
	// Data and Control are the reads that the value written, and the
	// decision to write, depend on, as sorted indexes into Accesses.
	Data, Control []int
	// DataParams and ControlParams are the same for the parameters.
	DataParams, ControlParams uint32
	// AddedParams are the parameters that a write adds to what is there, or
	// appends to it.
	AddedParams uint32
	// Excludes are the accesses that no run of the function makes together
	// with this one, as sorted indexes into Accesses.
	Excludes []int
	// Traits are what all accesses that this one stands for have in common.
	Traits Traits
	// Const is the text of the constant that a Fixed write stores.
	Const string
	// Depth counts the calls between the function and the beginning of the passage
	// that the access lies in.
	Depth uint8
	Pos   Pos
}

// maxDepth is the largest Depth that is told.
const MaxDepth = 7

// A Pos is a source position that survives the way through a fact.
type Pos struct {
	Pos  token.Pos // valid in the package that is being analyzed
	Text string    // file:line
}

// A Region is one passage through a guard.
type Region struct {
	lockset.Guard
	// Entry says that it is the passage that the function is entered in: the
	// guard is a lock of the caller, which the function gives up later.
	Entry bool
	// Open says that the function returns in it: the passage goes on in the
	// caller.
	Open bool
	Pos  Pos
}

// A Result tells where a result of a function comes from.
type Result struct {
	Params uint32 // the parameters it depends on
	Reads  []int  // the reads it depends on, as indexes into Accesses
	// Path is set if the result is always this part of a parameter or of a
	// package variable.
	Path accesspath.Path
	// Fresh says that the result is an object that the function has made and
	// given to nobody else.
	Fresh bool
	// Nil says that it is sometimes nil.
	Nil bool
	// Truth says of a flag that it is what was read, or its negation.
	Truth Truth
}

// An Out says what a function leaves in the memory that a parameter points to, or
// passes to a parameter that is a function.
type Out struct {
	Param int
	Reads []int // the reads it comes from, as indexes into Accesses
}

// CallKind says what a function does with a parameter that is a function.
type CallKind uint8

const (
	Called CallKind = iota // calls it before it returns
	Spawned
	Escapes // keeps it; anybody may call it later
)

// A ParamCall is what a function does with a parameter that is a function.
type ParamCall struct {
	Param   int
	Kind    CallKind
	Regions uint64 // regions that it is called in
}

// A FuncSummary is what the callers of a function need to know about it. All
// paths are in the terms of the function: its parameters, its free variables
// and package variables.
type FuncSummary struct {
	Name    string       // as in a message: (*Store).Put
	Effects []lockset.Op // on locks of the caller, after the call
	Regions []Region
	// Accesses lists the writes and the reads, those outside all regions
	// too: they belong to the regions of the caller, if any.
	Accesses []Access
	Results  []Result
	// Outs are what it leaves where its parameters point to.
	Outs  []Out
	Calls []ParamCall
	// Acquires are the locks that the function takes and gives up again.
	Acquires []Acquisition
	// Mutates is the set of parameters through which the function writes
	// memory outside all regions.
	Mutates uint32
	// Spawns says that the function starts goroutines.
	Spawns bool
	// Foreign says that the summary comes from a fact.
	Foreign bool
}

// Limits of a summary. What exceeds them is left out, reads before writes, so
// that the work per call is bounded.
const (
	MaxRegions  = 32
	MaxAccesses = 48
	MaxParams   = 32
)

// Empty reports whether the summary says no more than what is assumed of a
// function without one.
func (s *FuncSummary) Empty() bool {
	if len(s.Effects)+len(s.Regions)+len(s.Accesses)+len(s.Calls)+len(s.Acquires)+len(s.Outs) > 0 || s.Mutates != 0 || s.Spawns {
		return false
	}
	for _, r := range s.Results {
		if r.Path != accesspath.Unknown || r.Fresh {
			return false
		}
	}
	return true
}

// CallsUnderGuard reports whether the function calls one that it is given in a
// region of its own.
func (s *FuncSummary) CallsUnderGuard() bool {
	return slices.ContainsFunc(s.Calls, func(c ParamCall) bool { return c.Regions != 0 })
}

// A Writer is a place where a location is written outside constructors.
type Writer struct {
	Func   string // name, as in a message
	Pos    Pos
	Guards []accesspath.Location // classes of the locks held
	// Part says that an element of what the location holds is changed in place.
	Part bool
	// Effect says what the write does to what is there, Const which constant it
	// stores, if any.
	Effect Effect
	Const  string
	Fn     int // in the package being analyzed, else -1
}

// Needs reports whether the writer has to wait while one of the locks is held.
func (w *Writer) Needs(held []accesspath.Location) bool {
	return slices.ContainsFunc(w.Guards, func(g accesspath.Location) bool { return slices.Contains(held, g) })
}

// A LocInfo is what is known about a location.
type LocInfo struct {
	Loc accesspath.Location
	// Guards are the classes of the locks held at every write.
	Guards []accesspath.Location
	// Atomic says that it is accessed by sync/atomic or sync.Map operations.
	Atomic  bool
	Writers []Writer
	// Joint are the locations that are kept consistent with this one: a good
	// part of the regions that write either write both.
	Joint []accesspath.Location
	// Together are the locations that some function that writes this one
	// writes too, under whatever guard.
	Together []TogetherWrite
	// InsertOnly says that it is a container to which elements are only
	// added, under keys that were looked up in the same region before.
	InsertOnly bool
	// ClockOnly says that only the current time is ever written.
	ClockOnly bool
	// Counter says that some function adds an amount to it, or takes it away.
	Counter bool
	// Latch is the one constant that is ever written, "" if there are others:
	// a flag that is set once and for all.
	Latch string
}

// A TogetherWrite is a location written by a function that writes another.
type TogetherWrite struct {
	Loc  accesspath.Location
	Func string
}

// LeaveOpen marks the regions in which the function returns.
func (s *FuncSummary) LeaveOpen() {
	for _, op := range s.Effects {
		if op.Kind != lockset.Acquire || op.May {
			continue
		}
		for i := len(s.Regions) - 1; i >= 0; i-- {
			if s.Regions[i].Path == op.Guard.Path {
				s.Regions[i].Open = true
				break
			}
		}
	}
}

// DropRegions removes the regions that are not in the set used.
func (s *FuncSummary) DropRegions(used uint64) {
	var kept []Region
	var to [64]uint
	for i, r := range s.Regions {
		if used&(1<<i) != 0 {
			to[i] = uint(len(kept))
			kept = append(kept, r)
		}
	}
	move := func(set uint64) (out uint64) {
		for i := range s.Regions {
			if set&(1<<i) != 0 {
				out |= 1 << to[i]
			}
		}
		return out
	}
	for i := range s.Accesses {
		s.Accesses[i].Regions = move(s.Accesses[i].Regions)
	}
	s.Calls = slices.Clone(s.Calls)
	for i := range s.Calls {
		s.Calls[i].Regions = move(s.Calls[i].Regions)
	}
	s.Regions = kept
}
