package funcsum

import (
	"slices"
	"strconv"
	"unique"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"golang.org/x/tools/go/ssa"
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
	Region InnerPassage
	// origin is where the first access in the passage is, if it was found along a
	// cycle of calls.
	origin string
}

// An InnerPassage identifies a passage inside an instruction, by its number there; or
// the passage of a literal that is called there, by what identifies it in the literal.
type InnerPassage struct {
	number  int
	literal unique.Handle[literalPassage]
}

// A literalPassage is a passage inside a literal, by where it begins there.
type literalPassage struct {
	inner InnerPassage
	site  int
}

// inLiteral returns the passage for the caller of the literal that it begins in, at the
// given site.
func (i InnerPassage) inLiteral(site int) InnerPassage {
	return InnerPassage{literal: unique.Make(literalPassage{i, site})}
}

// OfLiteral reports whether the passage begins in a literal.
func (i InnerPassage) OfLiteral() bool { return i.literal != unique.Handle[literalPassage]{} }

// A PassageID identifies the passage of a hold in its function.
type PassageID struct {
	path  accesspath.Path
	sites string
	inner InnerPassage
	// own says that the passage begins in the function itself.
	own bool
}

func (h Hold) Passage() PassageID {
	id := PassageID{path: h.Path, own: !h.Inner}
	if h.Inner {
		id.inner = h.Region
	}
	for _, s := range h.Sites {
		id.sites += strconv.Itoa(s) + " "
	}
	return id
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
	Op    fact.Op
	accesspath.Ref
	Holds []Hold
	// Values are the values through which the result of a read appears.
	Values []ssa.Value
	// left are those of them that are memory the callee was given for it.
	left []ssa.Value
	// Inputs are the values that are written, Conditions those on which the
	// callee decides about the write.
	Inputs, Conditions []ssa.Value
	// Callee and Index name the access of the callee that this is, if it is
	// one of a callee.
	Callee *fact.FuncSummary
	Index  int
	// Within is the literal that makes the access, if that was inlined.
	Within *Event
	// Added are the values that a write adds to what is there: the terms of a
	// sum, and what is appended.
	Added []ssa.Value
	// Const is the text of the constant that a Fixed write stores.
	Const string
	Pos   fact.Pos

	// Data and Control are the events that the written value and the
	// decision to write depend on.
	Data, Control          []int
	dataParams, ctrlParams uint32
	addedParams            uint32
	Traits                 fact.Traits
	// replaces says that it is an atomic operation that takes out what is there.
	replaces bool
	// asked says that it is an atomic operation that tells what it has changed, and
	// that the function goes by the answer.
	asked bool
	// asserted says that the caller fails if the callee has not acted.
	asserted bool
}

// Writes and Reads classify the event.
func (e *Event) Writes() bool { return e.Op&fact.Write != 0 }

func (e *Event) Reads() bool { return e.Op&fact.Read != 0 }

// Pure says that a plain value that does not come from shared memory is written.
func (e *Event) Pure() bool { return e.Traits.Has(fact.Pure) }

// Clock says that the current time is written.
func (e *Event) Clock() bool { return e.Traits.Has(fact.Clock) }

// Delta says that an amount is added to what is there, or taken away.
func (e *Event) Delta() bool { return e.Traits.Has(fact.Delta) }

// Looked says that a callee looks at the place itself before it writes, or that
// the write is an operation that tells what was there, and that is asked for; and
// that the caller can bear with what is found.
func (e *Event) Looked() bool {
	return e.asked || e.Callee != nil && e.Callee.Accesses[e.Index].Traits.Has(fact.Looked) && !e.asserted
}

// Deep says that the access is made so many calls away that much may be decided on
// the way there.
func (e *Event) Deep() bool { return e.Depth() > 3 }

// passageDepth is the Depth of an access for the callers of the function: none if the
// passage that it lies in begins in the function.
func (e *Event) passageDepth() uint8 {
	if slices.ContainsFunc(e.Holds, func(h Hold) bool { return !h.Inner && !slices.Contains(h.Sites, lockset.Entry) }) {
		return 0
	}
	return e.Depth()
}

// Depth counts the calls between the instruction and the beginning of the passage that
// the access lies in, or the access itself if it is in none, up to some number.
func (e *Event) Depth() uint8 {
	if e.Callee == nil {
		return 0
	}
	return min(e.Callee.Accesses[e.Index].Depth+1, fact.MaxDepth)
}

// OnlyErrors says that all that comes of a read is whether something went wrong.
func (e *Event) OnlyErrors() bool {
	return len(e.Values) > 0 && !slices.ContainsFunc(e.Values, func(v ssa.Value) bool { return !ssautil.IsError(v.Type()) })
}

// Tested says of a read of an element that it is asked whether it is there.
func (e *Event) Tested() bool { return e.Traits.Has(fact.Tested) }

// Once says that the access is made in the function of a sync.Once.
func (e *Event) Once() bool { return e.Traits.Has(fact.Once) }

// Owned says that what was read was taken out or reserved.
func (e *Event) Owned() bool { return e.Traits.Has(fact.Owned) }

// Hold returns the hold of the given guard, or nil.
func (e *Event) Hold(p accesspath.Path) *Hold {
	for i := range e.Holds {
		if e.Holds[i].Path == p {
			return &e.Holds[i]
		}
	}
	return nil
}
