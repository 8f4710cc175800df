package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/atomicset/internal/scenario"
)

// The notation of programs.md, section 1, with l1 = a and l2 = b.
var sequences = []string{
	"R(a) W'(a) W(a)",
	"R(a) W'(a) R(a)",
	"W(a) R'(a) W(a)",
	"W(a) W'(a) R(a)",
	"W(a) W'(a) W(a)",
	"W(a) W'(a) W'(b) W(b)",
	"W(a) W'(b) W(b) W'(a)",
	"W(a) R'(a) R'(b) W(b)",
	"R(a) W'(a) W'(b) R(b)",
	"W(a) R'(b) W(b) R'(a)",
	"R(a) W'(b) R(b) W'(a)",
	"W(a) W'(b) W'(a) W(b)",
	"W(a) R'(b) R'(a) W(b)",
	"R(a) W'(b) W'(a) R(b)",
}

// read reads a sequence of accesses.
func read(text string) []scenario.Step {
	var out []scenario.Step
	for _, f := range strings.Fields(text) {
		step := scenario.Step{Write: f[0] == 'W', Loc: strings.IndexByte("ab", f[len(f)-2])}
		if strings.Contains(f, "'") {
			step.Unit = 1
		}
		out = append(out, step)
	}
	return out
}

func TestAll(t *testing.T) {
	if len(scenario.All) != len(sequences) {
		t.Fatalf("there are %d scenarios, want %d", len(scenario.All), len(sequences))
	}
	for i, s := range scenario.All {
		if s.Number != i+1 {
			t.Errorf("scenario %d has the number %d", i+1, s.Number)
		}
		if got := s.String(); got != sequences[i] {
			t.Errorf("scenario %d is %q, want %q", i+1, got, sequences[i])
		}
		if want := read(sequences[i]); !slices.Equal(s.Steps, want) {
			t.Errorf("scenario %d has the steps %v, want %v", i+1, s.Steps, want)
		}
		want := 1
		if strings.Contains(sequences[i], "b") {
			want = 2
		}
		if got := s.Locations(); got != want {
			t.Errorf("%v is about %d locations, want %d", s, got, want)
		}
	}
}

func TestName(t *testing.T) {
	for _, test := range []struct {
		number    int
		locations []string
		want      string
	}{
		{1, []string{"x.n"}, "R(x.n) W'(x.n) W(x.n)"},
		{1, []string{"x.n", "not used"}, "R(x.n) W'(x.n) W(x.n)"},
		{9, []string{"len", "data"}, "R(len) W'(len) W'(data) R(data)"},
		{10, []string{"b", "a"}, "W(b) R'(a) W(a) R'(b)"},
	} {
		if got := scenario.All[test.number-1].Name(test.locations...); got != test.want {
			t.Errorf("scenario %d of %q is %q, want %q", test.number, test.locations, got, test.want)
		}
	}
}

// accesses are all accesses there are.
func accesses() []scenario.Step {
	var out []scenario.Step
	for unit := range 2 {
		for loc := range 2 {
			out = append(out, scenario.Step{Unit: unit, Loc: loc}, scenario.Step{Unit: unit, Loc: loc, Write: true})
		}
	}
	return out
}

func TestMonitor(t *testing.T) {
	for i, s := range scenario.All {
		own := read(sequences[i])
		for state, want := range own {
			if s.Final(state) {
				t.Errorf("%v: state %d is final", s, state)
			}
			for _, st := range accesses() {
				if got := s.Next(state, st); got != (st == want) {
					t.Errorf("%v: in state %d, Next(%v) = %v", s, state, st, got)
				}
			}
		}
		if !s.Final(len(own)) {
			t.Errorf("%v: its own sequence does not lead to a final state", s)
		}
		for _, st := range accesses() {
			if s.Next(len(own), st) {
				t.Errorf("%v: the final state is left at %v", s, st)
			}
		}
	}
}

// TestBetween has for each scenario and unit the states in which the unit is in
// the midst: its accesses have begun and are not done.
func TestBetween(t *testing.T) {
	for i, want := range [][2]string{
		{"12", ""}, {"12", ""}, {"12", ""}, {"12", ""}, {"12", ""},
		{"123", "2"},
		{"12", "23"},
		{"123", "2"},
		{"123", "2"},
		{"12", "23"},
		{"12", "23"},
		{"123", "2"},
		{"123", "2"},
		{"123", "2"},
	} {
		s := scenario.All[i]
		for unit := range 2 {
			got := ""
			for state := range len(s.Steps) + 1 {
				if s.Between(state, unit) {
					got += fmt.Sprint(state)
				}
			}
			if got != want[unit] {
				t.Errorf("%v: unit %d is in the midst in the states %q, want %q", s, unit, got, want[unit])
			}
		}
	}
}

func TestLast(t *testing.T) {
	for i, s := range scenario.All {
		for unit := range 2 {
			own := slices.DeleteFunc(read(sequences[i]), func(st scenario.Step) bool { return st.Unit != unit })
			if got, want := s.Last(unit), own[len(own)-1]; got != want {
				t.Errorf("%v: the last access of unit %d is %v, want %v", s, unit, got, want)
			}
		}
	}
}

// maxAccesses bounds the units that are enumerated.
const maxAccesses = 3

// units lists the units with up to maxAccesses accesses to two locations.
func units(unit int) [][]scenario.Step {
	var out [][]scenario.Step
	longest := [][]scenario.Step{nil}
	for range maxAccesses {
		var longer [][]scenario.Step
		for _, u := range longest {
			for _, st := range accesses() {
				if st.Unit == unit {
					longer = append(longer, append(slices.Clip(u), st))
				}
			}
		}
		out = append(out, longer...)
		longest = longer
	}
	return out
}

// interleave calls f with each interleaving of u and v, which f must not keep.
func interleave(u, v, before []scenario.Step, f func([]scenario.Step)) {
	if len(u) == 0 && len(v) == 0 {
		f(before)
		return
	}
	if len(u) > 0 {
		interleave(u[1:], v, append(before, u[0]), f)
	}
	if len(v) > 0 {
		interleave(u, v[1:], append(before, v[0]), f)
	}
}

// serializable reports whether all conflicts between the two units are in the
// same direction.
func serializable(run []scenario.Step) bool {
	var first [2]bool // whether a conflict has the unit's access first
	for i, st := range run {
		for _, later := range run[i+1:] {
			if st.Unit != later.Unit && st.Loc == later.Loc && (st.Write || later.Write) {
				first[st.Unit] = true
			}
		}
	}
	return !first[0] || !first[1]
}

// writesAll reports whether the unit writes both locations if it writes any.
func writesAll(unit []scenario.Step) bool {
	var writes [2]bool
	for _, st := range unit {
		if st.Write {
			writes[st.Loc] = true
		}
	}
	return writes[0] == writes[1]
}

// matches reports whether the run contains the scenario, with the units and the
// locations in either role. It is the monitor that follows the run: moving on
// whenever it can is as good as any other choice, since only what comes later
// counts.
func matches(s *scenario.Scenario, run []scenario.Step) bool {
	for renaming := range 4 {
		state := 0
		for _, st := range run {
			st.Unit ^= renaming & 1
			st.Loc ^= renaming >> 1
			if s.Next(state, st) {
				state++
			}
		}
		if s.Final(state) {
			return true
		}
	}
	return false
}

// missed reports whether a run contains none of the scenarios.
func missed(scenarios []*scenario.Scenario, run []scenario.Step) bool {
	return !slices.ContainsFunc(scenarios, func(s *scenario.Scenario) bool { return matches(s, run) })
}

// TestComplete enumerates all interleavings of two small units. The pairs are
// ordered: a unit and another in exchanged roles count twice.
func TestComplete(t *testing.T) {
	type count struct{ runs, missedBy11, missedBy14 int }
	var anyUnits, assumed count // of the runs that are not serializable
	serial := 0
	for _, u := range units(0) {
		for _, v := range units(1) {
			assumption := writesAll(u) && writesAll(v)
			interleave(u, v, make([]scenario.Step, 0, 2*maxAccesses), func(run []scenario.Step) {
				by11, by14 := missed(scenario.All[:11], run), missed(scenario.All, run)
				if serializable(run) {
					serial++
					if !by14 {
						t.Errorf("%v is serializable, but contains a scenario", run)
					}
					return
				}
				counts := []*count{&anyUnits}
				if assumption {
					counts = append(counts, &assumed)
				}
				for _, c := range counts {
					c.runs++
					if by11 {
						c.missedBy11++
					}
					if by14 {
						c.missedBy14++
					}
				}
			})
		}
	}
	if serial == 0 {
		t.Error("no run is serializable")
	}
	if want := (count{10460, 796, 0}); assumed != want {
		t.Errorf("where a unit that writes a location writes both: got %v, want %v", assumed, want)
	}
	if want := (count{55748, 6756, 5232}); anyUnits != want {
		t.Errorf("whatever the units write: got %v, want %v", anyUnits, want)
	}
}

// TestSerializable has what looks like a scenario and is none.
func TestSerializable(t *testing.T) {
	for _, text := range []string{
		"R(a) R'(a) R(a)",
		"R(a) R'(a) W(a)",
		"W(a) R'(a) R(a)",
		"R(a) W'(a)",
		"W(a) W'(a)",
		// Two locations, but all conflicts in one direction.
		"W(a) W'(a) R'(b) R(b)",
		"W(a) R'(a) W(b) R'(b)",
		"R(a) W'(a) R(b) W'(b)",
		"W(a) W'(a) W(b) W'(b)",
		// Each of the triples again, with what has no part in it.
		"R(b) R(a) R'(b) R'(a) R(a)",
		"R'(a) R(a) R'(a) W(a)",
		"W(a) R'(a) R(a) R'(a)",
	} {
		run := read(text)
		if !serializable(run) {
			t.Errorf("%s is not serializable", text)
		}
		if !missed(scenario.All, run) {
			t.Errorf("%s contains a scenario", text)
		}
	}
}

// TestWriteSkew has a run that is not serializable and contains no scenario: the
// units write one location each.
func TestWriteSkew(t *testing.T) {
	run := read("R(a) R'(b) W(b) W'(a)")
	if serializable(run) || !missed(scenario.All, run) {
		t.Error("write skew contains a scenario")
	}
}

// TestNeeded shows that no scenario stands for another one.
func TestNeeded(t *testing.T) {
	for _, s := range scenario.All {
		if serializable(s.Steps) {
			t.Errorf("%v is serializable", s)
		}
		for _, other := range scenario.All {
			if got := matches(other, s.Steps); got != (s == other) {
				t.Errorf("%v contains %v: %v", s, other, got)
			}
		}
	}
}
