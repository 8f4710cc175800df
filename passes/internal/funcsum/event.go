package funcsum

import (
	"slices"
	"strconv"
	"unique"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A Hold is a guard that is held at an access, with the critical section that contains the
// access.
type Hold struct {
	lockset.Guard
	// Sites are the ordinals of the instructions that may have acquired the guard, or
	// lockset.Entry for the caller. For an Inner hold it is the call or atomic operation
	// itself.
	Sites []int
	// Inner is set if the critical section begins and ends within the instruction: it is
	// one of a callee, or an atomic operation.
	Inner bool
	// entry is set for the critical section of the caller in which the callee is called.
	entry bool
	// Region distinguishes the critical sections inside one instruction.
	Region InnerPassage
	// origin is the position of the first access in the critical section if the hold comes
	// from a call in a cycle of calls, and "" otherwise.
	origin string
}

// HoldsAt returns the guards that must be held at a state of f.
func (f *Body) HoldsAt(st *lockset.State) []Hold {
	var out []Hold
	for _, h := range st.Held {
		if f.Flow.Holds(h) {
			out = append(out, Hold{Guard: h.Guard, Sites: h.Sites})
		}
	}
	return out
}

// An InnerPassage identifies a critical section inside an instruction: by its number there,
// or, in a literal that is called there, by its identity in the literal.
type InnerPassage struct {
	number  int
	literal unique.Handle[literalPassage]
}

// A literalPassage identifies a critical section of a literal by its first site.
type literalPassage struct {
	inner InnerPassage
	site  int
}

// inLiteral returns the identity, in the caller of a literal, of the critical section that
// begins at the given site of the literal.
func (i InnerPassage) inLiteral(site int) InnerPassage {
	return InnerPassage{literal: unique.Make(literalPassage{i, site})}
}

// OfLiteral reports whether the critical section begins in a literal.
func (i InnerPassage) OfLiteral() bool { return i.literal != unique.Handle[literalPassage]{} }

// A PassageID identifies a critical section in its function.
type PassageID struct {
	path  accesspath.Path
	sites string
	inner InnerPassage
	// own is set if the critical section begins in the function itself.
	own bool
}

// Passage returns the identity of the critical section.
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

// SamePassage reports whether two holds at different accesses have the same guard and
// sites: there may be one critical section that contains both accesses.
func (h Hold) SamePassage(o Hold) bool {
	return h.Path == o.Path && h.Inner == o.Inner && h.Region == o.Region && slices.Equal(h.Sites, o.Sites)
}

// An Event is an access to shared memory by an instruction of a function, or by a function
// that the instruction calls.
type Event struct {
	// Instr is the instruction, and Ord its ordinal in the function.
	Instr ssa.Instruction
	Ord   int
	// Op is what the access does to the location Ref.Loc.
	Op fact.Op
	accesspath.Ref
	// Holds are the guards that must be held.
	Holds []Hold
	// Values are the values that have the result of a read.
	Values []ssa.Value
	// left are those of Values that are memory of the caller into which the callee writes
	// the result: see fact.Out.
	left []ssa.Value
	// Inputs are the written values, and Conditions the arguments that decide, in the
	// callee, whether the write is made.
	Inputs, Conditions []ssa.Value
	// Callee and Index identify the access in the summary of the callee, if it is made
	// there.
	Callee *fact.FuncSummary
	Index  int
	// Within is the access in the body of a literal, if this is that access at a call of
	// the literal.
	Within *Event
	// Added are the values that a write adds or appends to the current value.
	Added []ssa.Value
	// Const is the text of the constant that a Fixed write stores, "" for others.
	Const string
	// Pos is the position of the access in the analyzed package, and its text in the
	// package that declares the function which makes it.
	Pos fact.Pos

	// Data are the reads that the written value depends on, and Control those that decide
	// whether the write is made (control dependence), as sorted indexes into Body.Events.
	Data, Control          []int
	dataParams, ctrlParams uint32
	addedParams            uint32
	// with and without are the boolean parameters of the function that are true, and false,
	// whenever the access is made, as bit sets.
	with, without uint32
	// Traits are the properties of the access.
	Traits fact.Traits
	// replaces is set for an atomic read-modify-write whose written value is independent of
	// the current one, such as Swap.
	replaces bool
	// resultTested is set for an atomic read-modify-write whose result decides a branch.
	resultTested bool
	// Distant is set if another goroutine makes the access, at an unknown time after the
	// instruction: see package handoff.
	Distant bool
	// ruledOut are the constants that the looks of a write rule out, if that is all that they ask.
	ruledOut []string
	// upserts are the accesses in Control that decide only how the element is stored.
	upserts []int
	// asserted is set if the caller panics unless the callee has acted.
	asserted bool
}

// Writes reports whether the access writes its location.
func (e *Event) Writes() bool { return e.Op&fact.Write != 0 }

// Reads reports whether the access reads its location.
func (e *Event) Reads() bool { return e.Op&fact.Read != 0 }

// Pure reports whether the access has the trait fact.Pure.
func (e *Event) Pure() bool { return e.Traits.Has(fact.Pure) }

// Clock reports whether the access has the trait fact.Clock.
func (e *Event) Clock() bool { return e.Traits.Has(fact.Clock) }

// Delta reports whether the access has the trait fact.Delta.
func (e *Event) Delta() bool { return e.Traits.Has(fact.Delta) }

// Shrinks reports whether the access has the trait fact.Shrinks.
func (e *Event) Shrinks() bool { return e.Traits.Has(fact.Shrinks) }

// Effect returns how the write changes the value of its location.
func (e *Event) Effect() fact.Effect { return e.Traits.Effect(e.Op) }

// Looked reports whether the write is revalidated where it is made: the callee tests the
// location before it writes, or the write is an atomic read-modify-write whose result
// decides a branch. A test that the caller turns into an assertion is no revalidation.
func (e *Event) Looked() bool {
	return e.resultTested || e.Callee != nil && e.Callee.Accesses[e.Index].Traits.Has(fact.Looked) && !e.asserted
}

// Deep reports whether more than three calls lie between the function and the critical
// section: the functions in between have conditions of their own.
func (e *Event) Deep() bool { return e.Depth() > 3 }

// passageDepth is the Depth of the access for callers of the function: 0 if the critical
// section that contains it begins in the function.
func (e *Event) passageDepth() uint8 {
	if slices.ContainsFunc(e.Holds, func(h Hold) bool { return !h.Inner && !slices.Contains(h.Sites, lockset.Entry) }) {
		return 0
	}
	return e.Depth()
}

// makesOneCall reports whether a function has no conditions and makes one call: what that calls is no farther away
// than by a direct call.
//
//	func (s *Store) Get(k string) string { return s.table.get(k) }
func makesOneCall(fn *ssa.Function) bool {
	if len(fn.Blocks) != 1 {
		return false
	}
	calls := 0
	for _, instr := range fn.Blocks[0].Instrs {
		switch instr.(type) {
		case *ssa.Call:
			calls++
		case *ssa.Go, *ssa.Defer:
			return false
		}
	}
	return calls == 1
}

// Depth returns the number of calls between the instruction and the beginning of the
// critical section that contains the access, at most fact.MaxDepth. Outside critical
// sections it counts the calls to the access itself.
func (e *Event) Depth() uint8 {
	if e.Callee == nil {
		return 0
	}
	return min(e.Callee.Accesses[e.Index].Depth+1, fact.MaxDepth)
}

// Calls returns the number of calls between the function and the access, at most fact.MaxDepth.
func (e *Event) Calls() uint8 {
	switch {
	case e.Within != nil:
		return min(e.Within.Calls()+1, fact.MaxDepth)
	case e.Callee != nil:
		return min(e.Callee.Accesses[e.Index].Calls+1, fact.MaxDepth)
	}
	return 0
}

// OnlyErrors reports whether all results of a read are errors.
func (e *Event) OnlyErrors() bool {
	return len(e.Values) > 0 && !slices.ContainsFunc(e.Values, func(v ssa.Value) bool { return !ssautil.IsError(v.Type()) })
}

// Empties reports whether a write stores a zero value, or removes elements. To put a key into a set, which has
// elements without a value, is neither:
//
//	s.members[c] = struct{}{}
func (e *Event) Empties() bool {
	if e.Const == "" && e.Key != "" && e.Op&fact.Delete == 0 {
		return false
	}
	return e.Op&fact.Fixed != 0 && slices.Contains([]string{"", "nil", "0", "false", `""`}, e.Const)
}

// Tested reports whether the access has the trait fact.Tested.
func (e *Event) Tested() bool { return e.Traits.Has(fact.Tested) }

// Once reports whether the access has the trait fact.Once.
func (e *Event) Once() bool { return e.Traits.Has(fact.Once) }

// Awaited reports whether the access has the trait fact.Awaited.
func (e *Event) Awaited() bool { return e.Traits.Has(fact.Awaited) }

// AwaitedLess reports whether the access has the trait fact.AwaitedLess.
func (e *Event) AwaitedLess() bool { return e.Traits.Has(fact.AwaitedLess) }

// AwaitedMore reports whether the access has the trait fact.AwaitedMore.
func (e *Event) AwaitedMore() bool { return e.Traits.Has(fact.AwaitedMore) }

// Owned reports whether the access has the trait fact.Owned.
func (e *Event) Owned() bool { return e.Traits.Has(fact.Owned) }

// Hold returns the hold of the guard with path p, or nil.
func (e *Event) Hold(p accesspath.Path) *Hold {
	for i := range e.Holds {
		if e.Holds[i].Path == p {
			return &e.Holds[i]
		}
	}
	return nil
}

// MemberPath returns the path of the location of an access, without its key.
func (e *Event) MemberPath() accesspath.Path { return e.Loc.Of(e.Base) }

// ElementPath returns the path of the element of a container that an access with a key is to.
func (e *Event) ElementPath() accesspath.Path { return e.MemberPath().Index(e.Key) }

// OnReferent reports whether the access is an atomic operation, of the function itself, on what an element points to: the
// container stays as it is.
//
//	s.hits[k].Add(1) // hits map[string]*atomic.Int64
func (e *Event) OnReferent() bool {
	call, ok := e.Instr.(ssa.CallInstruction)
	if !ok || e.Callee != nil || e.Key == "" || len(call.Common().Args) == 0 {
		return false
	}
	return !isInPlace(call.Common().Args[0]) && slices.ContainsFunc(e.Holds, func(h Hold) bool { return h.IsAtomicOf(e.Loc) && h.Object() != e.MemberPath() })
}

// isInPlace reports whether v is the address of an element, or of a part of one.
func isInPlace(v ssa.Value) bool {
	for {
		switch at := v.(type) {
		case *ssa.IndexAddr:
			return true
		case *ssa.FieldAddr:
			v = at.X
		default:
			return false
		}
	}
}

// Finds reports whether an access is to the element of a container that contains the object of another access: e := s.m[k]; e.n++
func (e *Event) Finds(in *Event) bool { return e.Key != "" && in.Base.Within(e.ElementPath()) }

// SharePassage reports whether one critical section may contain both a and b.
func SharePassage(a, b *Event) bool {
	for _, h := range a.Holds {
		for _, g := range b.Holds {
			if h.SamePassage(g) {
				return true
			}
		}
	}
	return false
}
