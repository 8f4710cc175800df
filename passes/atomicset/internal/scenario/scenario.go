// Package scenario has the problematic data access scenarios: the sequences of accesses
// by two units of work, u and u', to one or two locations of an atomic set that no serial
// execution of the two is equivalent to.
//
// The first eleven are those of Vaziri, Tip and Dolby (Associating synchronization
// constraints with data in an object-oriented language, POPL 2006). The last three are
// the sixth, eighth and ninth with the accesses of the inner unit in the other order.
// With them the list is complete for two units that write all of a set if they write any
// of it.
//
// A scenario is also an automaton, its monitor: it advances at the next access of the
// sequence and stays in its state at any other. Which access of a kind is the one in the
// sequence is a choice, so that an execution shows the scenario if it contains the
// sequence as a subsequence.
package scenario

import "strings"

// A Step is one access of a scenario.
type Step struct {
	Unit  int  // 0 for u, 1 for u'
	Write bool // a write, not a read
	Loc   int  // 0 or 1
}

// A Scenario is a problematic sequence of accesses.
type Scenario struct {
	// Number is the number in the list of the paper; 12 to 14 are additions.
	Number int
	Steps  []Step // the sequence
}

// All has all scenarios, in the order of their numbers.
var All = []*Scenario{
	parse(1, "R(a) W'(a) W(a)"),
	parse(2, "R(a) W'(a) R(a)"),
	parse(3, "W(a) R'(a) W(a)"),
	parse(4, "W(a) W'(a) R(a)"),
	parse(5, "W(a) W'(a) W(a)"),
	parse(6, "W(a) W'(a) W'(b) W(b)"),
	parse(7, "W(a) W'(b) W(b) W'(a)"),
	parse(8, "W(a) R'(a) R'(b) W(b)"),
	parse(9, "R(a) W'(a) W'(b) R(b)"),
	parse(10, "W(a) R'(b) W(b) R'(a)"),
	parse(11, "R(a) W'(b) R(b) W'(a)"),
	parse(12, "W(a) W'(b) W'(a) W(b)"),
	parse(13, "W(a) R'(b) R'(a) W(b)"),
	parse(14, "R(a) W'(b) W'(a) R(b)"),
}

// parse reads a sequence in the notation of the paper.
func parse(number int, text string) *Scenario {
	s := &Scenario{Number: number}
	for _, f := range strings.Fields(text) {
		step := Step{Write: f[0] == 'W', Loc: int(f[len(f)-2] - 'a')}
		if f[1] == '\'' {
			step.Unit = 1
		}
		s.Steps = append(s.Steps, step)
	}
	return s
}

// Locations returns how many locations the scenario is about.
func (s *Scenario) Locations() int {
	n := 1
	for _, st := range s.Steps {
		n = max(n, st.Loc+1)
	}
	return n
}

// Name returns the sequence with the given names of the locations: with a and b it is the
// notation of the paper.
func (s *Scenario) Name(locations ...string) string {
	var b strings.Builder
	for i, st := range s.Steps {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteByte("RW"[index(st.Write)])
		if st.Unit == 1 {
			b.WriteByte('\'')
		}
		b.WriteString("(" + locations[st.Loc] + ")")
	}
	return b.String()
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Next reports whether the monitor can advance from the given state, which is the number
// of accesses seen, at the access st.
func (s *Scenario) Next(state int, st Step) bool {
	return state < len(s.Steps) && s.Steps[state] == st
}

// Final reports whether the whole sequence was seen in the given state.
func (s *Scenario) Final(state int) bool { return state == len(s.Steps) }

// Between reports whether a unit is between its accesses in the given state: the unit
// must not end there, or the next access would belong to another unit.
func (s *Scenario) Between(state, unit int) bool {
	before, after := false, false
	for i, st := range s.Steps {
		if st.Unit == unit {
			before = before || i < state
			after = after || i >= state
		}
	}
	return before && after
}

// Last returns the last access of a unit.
func (s *Scenario) Last(unit int) Step {
	var last Step
	for _, st := range s.Steps {
		if st.Unit == unit {
			last = st
		}
	}
	return last
}

// String returns the sequence in the notation of the paper.
func (s *Scenario) String() string { return s.Name("a", "b") }
