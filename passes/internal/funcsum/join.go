package funcsum

import "golang.org/x/tools/go/ssa"

// A Join says where the values of two reads come together.
type Join struct {
	At   ssa.Instruction
	Word string // what that is, as in a message
}

// JoinedInResult is the Word of a join in what the function returns.
const JoinedInResult = "the result"

// JoinedInDecision is that of a join in a branch on the one and the other.
const JoinedInDecision = "the decision"

// Joined reports whether two reads, the second after the first, have a common
// correlation: their values come together in one result, call, write or decision
// that has an effect (Dias, Pessanha, Lourenço, Precise detection of atomicity
// violations, section 4.3).
func (f *Body) Joined(first, second *Event) (Join, bool) {
	// What comes behind the second read, before the first is made afresh.
	follows := func(instr ssa.Instruction) bool {
		return f.Order().Exists(Way{From: second.Instr, To: instr, Avoid: first.Instr})
	}
	for _, k := range f.Sinks() {
		if k.Instr == first.Instr || k.Instr == second.Instr || !follows(k.Instr) {
			continue
		}
		one, two := k.Data.HasAny(first.Values), k.Data.HasAny(second.Values)
		if one && two {
			return Join{k.Instr, k.word()}, true
		}
		// A branch on the first value that is behind the second read has the
		// pair at hand. One before it only leads there.
		for _, c := range k.Conditions {
			if follows(c.Branch) {
				one = one || c.Slice.HasAny(first.Values)
				two = two || c.Slice.HasAny(second.Values)
			}
		}
		if one && two {
			return Join{k.Instr, JoinedInDecision}, true
		}
	}
	return Join{}, false
}

func (k *Sink) word() string {
	switch k.Instr.(type) {
	case *ssa.Return:
		return JoinedInResult
	case ssa.CallInstruction:
		return "the call"
	}
	return "the write"
}
