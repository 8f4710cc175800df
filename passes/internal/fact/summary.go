// Package fact describes what is exported from one package to the packages that import it:
// function summaries, properties of locations, and views, with their encoding as an
// analysis fact.
//
// All of a package is one package fact, because drivers decode every fact of every
// dependency; a summary is decoded when a call needs it (see Foreign). The properties of an
// access are one bit set (see Traits), which is merged, encoded and printed as a whole: a
// new trait is a constant and a name. Fields that are valid in the analyzed package only,
// such as Writer.Fn and Pos.Pos, are not encoded.
//
// The package has types and the codec, and no analysis.
package fact

import (
	"go/token"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// An Op is the set of operations that an access makes on its location.
type Op uint8

const (
	// Read is a read of the value of the location.
	Read Op = 1 << iota
	// Write is a write of the location. Read and Write together are an atomic
	// read-modify-write, such as an Add or a Swap.
	Write
	// Delete is a write that only removes an element.
	Delete
	// Compare is an atomic read-modify-write whose write depends on an expected value:
	// CompareAndSwap, LoadOrStore.
	Compare
	// Presence is a read of whether an element exists, without its value: _, ok := m[k].
	Presence
	// Content is an access, by a method of another package's type, to the state of the
	// object that the location contains.
	Content
	// Fixed is a write of a constant.
	Fixed
)

// An Access is an access to shared memory by a function or by a function that it calls, in
// the terms of the function. Accesses with the same operations, location, base, key and
// critical sections are merged into one Access.
type Access struct {
	// Op is what the access does, Loc the location that it does it to.
	Op   Op
	Loc  accesspath.Location
	Base accesspath.Path // the object that Loc is a part of
	Key  accesspath.Key  // the element of a container, "" for the whole
	// Regions is the set of critical sections that contain the access, as a bit set of
	// indexes into FuncSummary.Regions.
	Regions uint64
	// Data are the reads that the written value depends on (data dependence), Control those
	// that decide whether the write is made (control dependence), as sorted indexes into
	// FuncSummary.Accesses.
	Data, Control []int
	// DataParams and ControlParams are the parameters with such a dependence, as bit sets.
	DataParams, ControlParams uint32
	// AddedParams is the set of parameters that a write adds or appends to the current
	// value.
	AddedParams uint32
	// TrueParams and FalseParams are the boolean parameters that have that value whenever the
	// access is made, as bit sets:
	//
	//	func (s *S) mark(on bool) { if on { s.state.Store(1) } else { s.state.Store(0) } }
	TrueParams, FalseParams uint32
	// Excludes are the accesses that are on no common path of control with this one, as
	// sorted indexes into FuncSummary.Accesses.
	Excludes []int
	// Traits are the properties that all merged accesses have.
	Traits Traits
	// Const is the text of the constant that a Fixed write stores.
	Const string
	// RuledOut are the texts of the constants that a Looked write finds out not to be there, sorted, and those of bounds that a
	// number which is there does not reach, with the relation before them (<3), if that is all that it
	// asks of its location.
	RuledOut []string
	// Depth is the number of calls between the function and the beginning of the critical
	// section that contains the access, at most MaxDepth.
	Depth uint8
	// Calls is the number of calls between the function and the access itself, at most MaxDepth.
	Calls uint8
	// Pos is the position of the first of the merged accesses.
	Pos Pos
}

// MaxDepth is the largest Depth, and number of Calls; longer call chains have this one.
const MaxDepth = limit.Depth

// A Pos is a source position that stays readable in other packages.
type Pos struct {
	Pos  token.Pos // valid in the analyzed package only
	Text string    // base name of the file, and line: store.go:17
}

// A Region is a critical section of a function: a stretch of a run in which its guard is
// held without interruption.
type Region struct {
	lockset.Guard
	// Entry is set for the critical section of the caller in which the function is called:
	// the guard is a lock of the caller that the function releases.
	Entry bool
	// Open is set if the guard is held at the return: the critical section continues in the
	// caller.
	Open bool
	// Pos is the position of the first access or call in the critical section.
	Pos Pos
}

// A Result describes the dependences and the identity of one result of a function.
type Result struct {
	Params uint32 // parameters that the result depends on, as a bit set
	Reads  []int  // reads that the result depends on, as indexes into Accesses
	// Path is the part of a parameter or of a package variable that the result always is,
	// or Unknown.
	Path accesspath.Path
	// Key is the local value that the result is, if it is no constant, and the function selects an element by it.
	Key accesspath.Path
	// Fresh is set if the result is an object that the function has allocated and not
	// published.
	Fresh bool
	// Nil is set if some return statement returns nil.
	Nil bool
	// Verdict is set for an error that the function itself makes, and whose being nil depends on
	// its reads.
	Verdict bool
	// Truth relates a boolean result to the variable that it was read from.
	Truth Truth
}

// An Out is a data flow from reads of a function into the memory that a parameter points
// to, or into the arguments of a call of a function-valued parameter:
//
//	func (b *Buf) CopyTo(dst []byte)       { b.mu.Lock(); copy(dst, b.data); b.mu.Unlock() }
//	func (m *Map) Each(f func(k string))   { … f(k) … }
type Out struct {
	// Param is the index of the parameter.
	Param int
	Reads []int // reads that the value depends on, as indexes into Accesses
}

// A CallKind classifies the use that a function makes of a function-valued parameter. A
// larger value is a weaker assumption about the time of the call.
type CallKind uint8

const (
	// Called is a call that ends before the function returns.
	Called CallKind = iota
	// Spawned is a call in a new goroutine.
	Spawned
	// Escapes is a store of the parameter in shared memory: any goroutine may call it at any
	// time.
	Escapes
)

// A ParamCall is a use, of kind Kind, of the function-valued parameter with index Param.
type ParamCall struct {
	Param   int
	Kind    CallKind
	Regions uint64 // critical sections that contain the call, as a bit set
	// Args are the paths of what it is called with, empty for one that has none; nil if none has.
	Args []accesspath.Path
}

// A FuncSummary is what the analysis of a caller uses of its callee. All paths are in the
// terms of the callee: its parameters, its free variables and package variables.
type FuncSummary struct {
	Name    string       // as messages show it: (*Store).Put
	Effects []lockset.Op // operations on locks of the caller that are in effect after the call
	// Regions are the critical sections of the function and of its callees.
	Regions []Region
	// Accesses are the writes and reads. Those without Regions belong to the critical
	// section of the caller, if there is one.
	Accesses []Access
	// Results are in the order of the signature.
	Results []Result
	// Outs are the data flows into memory that parameters point to.
	Outs []Out
	// Calls are the uses of function-valued parameters.
	Calls []ParamCall
	// Acquires are the locks that the function acquires and releases again.
	Acquires []Acquisition
	// Mutates is the bit set of the parameters through which the function writes memory
	// outside critical sections.
	Mutates uint32
	// Spawns is set if the function starts goroutines.
	Spawns bool
	// NeedsReceiver is set for a method that panics if its receiver is nil.
	NeedsReceiver bool
	// Foreign is set if the summary was decoded from a fact.
	Foreign bool
}

// Limits of a summary: what exceeds them is left out, reads before writes, so that the work
// per call is bounded.
const (
	MaxRegions  = limit.Regions  // MaxRegions bounds the critical sections.
	MaxAccesses = limit.Accesses // MaxAccesses bounds the accesses.
	MaxParams   = limit.Params   // MaxParams bounds the parameters that have dependences.
)

// Empty reports whether the summary has no more information than callers assume of a
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

// CallsUnderGuard reports whether the function calls one of its parameters in a critical
// section of its own.
func (s *FuncSummary) CallsUnderGuard() bool {
	return slices.ContainsFunc(s.Calls, func(c ParamCall) bool { return c.Regions != 0 })
}

// A Writer is a write of a location outside constructors.
type Writer struct {
	Func string // name, as messages show it
	// Pos is the position of the write.
	Pos    Pos
	Guards []accesspath.Location // classes of the locks that must be held at the write
	// Part is set if the write changes, in place, an element of the container in the
	// location.
	Part bool
	// Effect classifies the change, and Const is the text of the constant that the write
	// stores, "" if it stores none.
	Effect Effect
	Const  string
	// Fn is a callgraph.FuncID in the analyzed package, and Loc what is written there; they are -1 and "" in
	// others.
	Fn  int
	Loc accesspath.Location
}

// Needs reports whether the writer blocks while one of the given locks is held.
func (w *Writer) Needs(held []accesspath.Location) bool {
	return slices.ContainsFunc(w.Guards, func(g accesspath.Location) bool { return slices.Contains(held, g) })
}

// A LocInfo has the properties of a location that hold in its whole package.
type LocInfo struct {
	// Loc is the location itself.
	Loc accesspath.Location
	// Guards are the classes of the locks that must be held at every write.
	Guards []accesspath.Location
	// Atomic is set if the accesses are sync/atomic or sync.Map operations.
	Atomic bool
	// Writers are the writes outside constructors.
	Writers []Writer
	// Joint are the correlated locations, sorted: a good part of the critical sections that
	// write either write both.
	Joint []accesspath.Location
	// Together are the locations that some writer of this one writes too, whatever the
	// guards.
	Together []TogetherWrite
	// InsertOnly is set for a container that only grows (it is monotone): each insertion
	// follows a lookup of the key in the same critical section.
	InsertOnly bool
	// ClockOnly is set if every written value is the current time.
	ClockOnly bool
	// Counter is set if some write is a relative update, which adds or subtracts an amount.
	Counter bool
	// Latch is the text of the only constant that is ever written, "" if there are other
	// values: a monotone flag, such as closed = true.
	Latch string
}

// A TogetherWrite is a write of Loc by the function Func, which also writes another
// location.
type TogetherWrite struct {
	Loc  accesspath.Location
	Func string
}

// LeaveOpen sets Open for the critical sections whose guard is held at the return.
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

// DropRegions removes the critical sections that are not in the bit set used, and renumbers
// the others.
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
