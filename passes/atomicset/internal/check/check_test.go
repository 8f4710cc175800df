package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/atomicset/internal/check"
	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/atomicset/internal/scenario"
)

// write writes a model of the processes u and v, each procedure given as its
// name and its statements with semicolons between them.
func write(procs ...string) string {
	var b strings.Builder
	b.WriteString(preamble)
	for _, p := range procs {
		name, body, _ := strings.Cut(p, ":")
		fmt.Fprintf(&b, "proc %s {\n", name)
		for _, line := range strings.Split(strings.NewReplacer("{", "{;", "}", ";}").Replace(body), ";") {
			if line = strings.TrimSpace(line); line != "" {
				b.WriteString(line + "\n")
			}
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// compareAll compares the answers to all queries and all traces with the
// enumeration, and returns the model and the answers.
func compareAll(t *testing.T, text string, parent int) (*subject, verdict) {
	t.Helper()
	s, ok := newSubject(t, text, parent, limits{rounds: 3, nesting: 5, ways: 5000})
	if !ok {
		t.Fatalf("there are too many ways of\n%s", text)
	}
	want := enumerate(s.ways, parent)
	n := new(tally)
	for i, q := range queries {
		if !s.compareAnswer(t, n, q, want.possible(i)) || !s.compareTrace(t, n, q, want[i]) {
			break
		}
	}
	return s, want
}

// find returns the index of a query.
func find(number, u int, at [2]int) int {
	return slices.Index(queries, query{scenario.All[number-1], u, at})
}

// in returns the statements of a process in a scenario, with the accesses each
// put into a critical section, and so the whole. A section is the name of a
// lock, for reading in parentheses, or "".
func (q query) in(process int, each, whole string) string {
	var list []string
	for _, a := range q.accesses(process) {
		list = append(list, section(each, a))
	}
	return "begin; " + section(whole, strings.Join(list, "; ")) + "; end"
}

func section(lock, body string) string {
	if lock == "" {
		return body
	}
	mode := ""
	if name, ok := strings.CutPrefix(lock, "("); ok {
		lock, mode = strings.TrimSuffix(name, ")"), "r"
	}
	return fmt.Sprintf("%slock %s; %s; %sunlock %s", mode, lock, body, mode, lock)
}

// reading returns the lock m, held for reading if the process only reads.
func (q query) reading(process int) string {
	if strings.Contains(strings.Join(q.accesses(process), " "), "write") {
		return "m"
	}
	return "(m)"
}

// atOnce reports whether the process does its accesses one after the other.
func (q query) atOnce(process int) bool {
	var at []int
	for i, st := range q.scenario.Steps {
		if st.Unit^q.u == process {
			at = append(at, i)
		}
	}
	return at[len(at)-1]-at[0] == len(at)-1
}

func TestScenarios(t *testing.T) {
	for i, q := range queries {
		u, v := q.u, 1-q.u
		for _, test := range []struct {
			name           string
			uEach, uWhole  string
			vEach, vWhole  string
			possible, none bool
		}{
			{name: "without locks", possible: true},
			{name: "a section for each access", uEach: "m", vEach: "m", possible: true},
			{name: "a section for each access, for reading", uEach: "(m)", vEach: "(m)", possible: true},
			{name: "a lock for each unit", uWhole: "m", vWhole: "m", none: true},
			{name: "a lock for each unit, for reading if it does not write", uWhole: q.reading(u), vWhole: q.reading(v), none: true},
			{name: "a lock for each unit, for reading", uWhole: "(m)", vWhole: "(m)", possible: true},
			{name: "two locks", uWhole: "m", vWhole: "n", possible: true},
			{name: "sections in a lock for each unit", uEach: "n", uWhole: "m", vEach: "n", vWhole: "m", none: true},
			{name: "u locked", uWhole: "m", vEach: "m"},
			{name: "u locked, the other without locks", uWhole: "m", possible: true},
			{name: "u' locked", uEach: "m", vWhole: "m", possible: q.atOnce(v)},
			{name: "u' locked, the other without locks", vWhole: "m", possible: true},
		} {
			t.Run(fmt.Sprintf("%d %s/%s", i, q.scenario, test.name), func(t *testing.T) {
				var bodies [2]string
				bodies[u] = q.in(u, test.uEach, test.uWhole)
				bodies[v] = q.in(v, test.vEach, test.vWhole)
				s, _ := newSubject(t, write("u: "+bodies[0], "v: "+bodies[1]), none, limits{ways: 1})
				got := enumerate(s.ways, none)
				n := new(tally)
				for j, q := range queries {
					s.compareAnswer(t, n, q, got.possible(j))
				}
				s.compareTrace(t, n, q, got[i])
				if got.possible(i) != test.possible {
					t.Errorf("possible: %v, want %v", got.possible(i), test.possible)
				}
				if test.none && slices.ContainsFunc(got, func(steps int) bool { return steps != none }) {
					t.Error("another scenario is possible")
				}
			})
		}
	}
}

// TestLookAlikes has units that no scenario is about, without any locks.
func TestLookAlikes(t *testing.T) {
	for _, test := range []struct{ u, v string }{
		{"read a; read a", "read a"},
		{"read a; write a", "read a"},
		{"write a; read a", "read a"},
		{"read a; write a", "write b"},
		{"read a; write a", "read b; write b"},
		{"write a", "write a"},
		{"write a; write b", "read a"},
		{"read a; read b", "read b; read a"},
		{"read a; read b", "write a"},
		{"read a; write b", "read a; read b"},
		// Write skew: a circle of conflicts, but no unit writes both.
		{"read a; write b", "read b; write a"},
	} {
		t.Run(test.u+" and "+test.v, func(t *testing.T) {
			_, got := compareAll(t, write("u: begin; "+test.u+"; end", "v: begin; "+test.v+"; end"), none)
			for i, steps := range got {
				if steps != none {
					t.Errorf("%v is possible", queries[i])
				}
			}
		})
	}
}

// TestModels has for each model whether u can show a scenario at a, and b.
func TestModels(t *testing.T) {
	const (
		lostUpdate = 1  // R(a) W'(a) W(a)
		twoReads   = 2  // R(a) W'(a) R(a)
		seenHalf   = 3  // W(a) R'(a) W(a)
		bothSplit  = 7  // W(a) W'(b) W(b) W'(a)
		halfDone   = 8  // W(a) R'(a) R'(b) W(b)
		tornRead   = 9  // R(a) W'(a) W'(b) R(b)
		oldAndNew  = 10 // W(a) R'(b) W(b) R'(a)
	)
	const (
		update = "lock m; write a; unlock m"
		both   = "begin; lock m; write a; write b; unlock m; end"
	)
	for _, test := range []struct {
		name     string
		procs    []string
		scenario int
		possible bool
	}{
		{"reading under a lock for reading", []string{"u: begin; rlock m; read a; read a; runlock m; end", "v: " + update}, twoReads, false},
		{"reading under two locks for reading", []string{"u: begin; rlock m; read a; runlock m; rlock m; read a; runlock m; end", "v: " + update}, twoReads, true},
		{"writing under a lock for reading", []string{"u: begin; rlock m; read a; read a; runlock m; end", "v: rlock m; write a; runlock m"}, twoReads, true},
		{"upgrade by giving up", []string{"u: begin; rlock m; read a; runlock m; lock m; write a; unlock m; end", "v: " + update}, lostUpdate, true},
		{"upgrade without giving up", []string{"u: begin; rlock m; read a; lock m; write a; unlock m; runlock m; end", "v: " + update}, lostUpdate, false},
		{"upgrade under another lock", []string{"u: begin; lock n; rlock m; read a; runlock m; lock m; write a; unlock m; unlock n; end", "v: lock n; " + update + "; unlock n"}, lostUpdate, false},
		{"upgrade under another lock of which the other knows nothing", []string{"u: begin; lock n; rlock m; read a; runlock m; lock m; write a; unlock m; unlock n; end", "v: " + update}, lostUpdate, true},

		{"wait without a check", []string{"u: begin; lock m; read a; wait m; write a; unlock m; end", "v: " + update}, lostUpdate, true},
		{"wait with a check", []string{"u: begin; lock m; loop { read a; wait m }; read a; write a; unlock m; end", "v: " + update}, lostUpdate, true},
		{"wait before", []string{"u: begin; lock m; wait m; read a; write a; unlock m; end", "v: " + update}, lostUpdate, false},
		{"wait in a loop before", []string{"u: begin; lock m; loop { wait m }; read a; write a; unlock m; end", "v: " + update}, lostUpdate, false},
		{"wait for another lock", []string{"u: begin; lock m; lock n; read a; wait n; write a; unlock n; unlock m; end", "v: " + update}, lostUpdate, false},
		{"wait for one lock and keep another", []string{"u: begin; lock m; lock n; read a; wait m; write a; unlock n; unlock m; end", "v: lock n; " + update + "; unlock n"}, lostUpdate, false},
		{"wait for one lock that is not the last", []string{"u: begin; lock m; lock n; read a; wait m; write a; unlock n; unlock m; end", "v: " + update}, lostUpdate, true},
		{"wait without the lock", []string{"u: begin; read a; wait m; write a; end", "v: " + update}, lostUpdate, false},
		{"wait after a read lock", []string{"u: begin; rlock m; read a; wait m; write a; runlock m; end", "v: " + update}, lostUpdate, false},

		{"no unit", []string{"u: lock m; read a; unlock m; lock m; write a; unlock m", "v: " + update}, lostUpdate, false},
		{"two units", []string{"u: begin; lock m; read a; unlock m; end; begin; lock m; write a; unlock m; end", "v: " + update}, lostUpdate, false},
		{"two units in one", []string{"u: begin; begin; lock m; read a; unlock m; end; begin; lock m; write a; unlock m; end; end", "v: " + update}, lostUpdate, true},
		{"two units in one of the caller", []string{"u: begin; call r; call w; end", "r: begin; lock m; read a; unlock m; end", "w: begin; lock m; write a; unlock m; end", "v: " + update}, lostUpdate, true},
		{"two units in calls", []string{"u: call r; call w", "r: begin; lock m; read a; unlock m; end", "w: begin; lock m; write a; unlock m; end", "v: " + update}, lostUpdate, false},
		{"a unit around calls", []string{"u: begin; call r; call w; end", "r: lock m; read a; unlock m", "w: lock m; write a; unlock m", "v: " + update}, lostUpdate, true},
		{"a unit that begins after the read", []string{"u: lock m; read a; unlock m; begin; lock m; write a; unlock m; end", "v: " + update}, lostUpdate, false},
		{"a unit in a loop", []string{"u: loop { begin; choice { read a } or { write a }; end }", "v: " + update}, lostUpdate, false},
		{"a loop in a unit", []string{"u: begin; loop { choice { read a } or { write a } }; end", "v: " + update}, lostUpdate, true},
		{"a unit that the process stops in", []string{"u: begin; read a; write a; stop", "v: " + update}, lostUpdate, true},
		{"accesses of u' in two units", []string{"u: begin; write a; write b; end", "v: begin; read a; end; begin; read b; end"}, halfDone, false},
		{"accesses of u' in one unit", []string{"u: begin; write a; write b; end", "v: begin; begin; read a; end; begin; read b; end; end"}, halfDone, true},
		{"units in exchanged order", []string{"u: begin; write b; write a; end", "v: begin; read a; read b; end"}, halfDone, false},
		{"one access of two", []string{"u: begin; choice { read a } or { write a }; end", "v: " + update}, lostUpdate, false},
		{"choice then access", []string{"u: begin; choice { read a } or { skip }; write a; end", "v: " + update}, lostUpdate, true},

		{"retried after a read", []string{"u: begin; try; read a; retry a; write a; end", "v: " + update}, lostUpdate, false},
		{"retried, and read again", []string{"u: begin; try; read a; choice { retry a; try; read a } or { }; write a; end", "v: " + update}, lostUpdate, true},
		{"retried after a read before", []string{"u: begin; read a; try; retry a; write a; end", "v: " + update}, lostUpdate, true},
		{"retried for something else", []string{"u: begin; try; read a; retry b; write a; end", "v: " + update}, lostUpdate, true},
		{"retried after a write", []string{"u: begin; try; write a; retry a; write a; end", "v: lock m; read a; unlock m"}, seenHalf, true},

		{"stop after the access", []string{"u: begin; read a; write a; end", "v: write a; stop"}, lostUpdate, true},
		{"stop after the lock is given up", []string{"u: begin; lock m; read a; unlock m; lock m; write a; unlock m; end", "v: " + update + "; stop"}, lostUpdate, true},
		{"stop with the lock", []string{"u: begin; lock m; read a; unlock m; lock m; write a; unlock m; end", "v: lock m; write a; stop"}, lostUpdate, false},
		{"return with the lock", []string{"u: begin; lock m; read a; unlock m; lock m; write a; unlock m; end", "v: lock m; write a; return"}, lostUpdate, false},
		{"stop before the access", []string{"u: begin; read a; write a; end", "v: stop; write a"}, lostUpdate, false},
		{"stop after a call", []string{"u: begin; read a; write a; end", "v: call w; stop", "w: write a"}, lostUpdate, true},
		{"stop after a call in a unit", []string{"u: begin; read a; call w; stop", "v: write a", "w: write a"}, lostUpdate, true},
		{"stop after calls in calls in a unit", []string{"u: begin; read a; call x; stop", "v: write a", "x: call w; stop", "w: lock m; write a; unlock m"}, lostUpdate, true},
		{"stop in a call", []string{"u: begin; read a; call w; write a; end", "v: write a", "w: choice { stop } or { stop }"}, lostUpdate, false},
		{"stop, and nothing else, in a call", []string{"u: begin; read a; call w; write a; end", "v: write a", "w: stop"}, lostUpdate, false},
		{"stop after the last access", []string{"u: begin; read a; write a; stop", "v: write a; stop"}, lostUpdate, true},

		{"outer lock", []string{"u: lock n; begin; lock m; read a; unlock m; lock m; write a; unlock m; end; unlock n", "v: lock n; lock m; write a; unlock m; unlock n"}, lostUpdate, false},
		{"outer lock of one", []string{"u: lock n; begin; lock m; read a; unlock m; lock m; write a; unlock m; end; unlock n", "v: " + update}, lostUpdate, true},
		{"outer lock for reading", []string{"u: rlock n; begin; lock m; read a; unlock m; lock m; write a; unlock m; end; runlock n", "v: rlock n; lock m; write a; unlock m; runlock n"}, lostUpdate, true},
		{"outer lock for reading by one", []string{"u: rlock n; begin; lock m; read a; unlock m; lock m; write a; unlock m; end; runlock n", "v: lock n; lock m; write a; unlock m; unlock n"}, lostUpdate, false},
		{"taken again", []string{"u: begin; lock m; read a; lock m; write a; end", "v: write a"}, lostUpdate, false},
		{"given up though not held", []string{"u: begin; read a; unlock m; write a; end", "v: write a"}, lostUpdate, false},
		{"given up as if held for reading", []string{"u: begin; lock m; read a; runlock m; write a; end", "v: write a"}, lostUpdate, false},
		{"given up by the callee", []string{"u: begin; lock m; read a; call w; lock m; write a; unlock m; end", "w: unlock m", "v: " + update}, lostUpdate, true},
		{"held by the caller", []string{"u: begin; lock m; call r; call w; unlock m; end", "r: read a", "w: write a", "v: " + update}, lostUpdate, false},

		// Both hold one lock and take the other: who has read under m holds
		// it until the other is done with m, which needs n, which ...
		{"crossing locks", []string{
			"u: begin; lock m; read a; lock n; unlock n; read b; unlock m; end",
			"v: begin; lock n; write a; lock m; unlock m; write b; unlock n; end",
		}, tornRead, false},
		{"locks in one order", []string{
			"u: begin; lock m; read a; unlock m; lock n; read b; unlock n; end",
			"v: begin; lock m; write a; unlock m; lock n; write b; unlock n; end",
		}, tornRead, true},
		// u holds m between its accesses. v takes m, but before the first of
		// them or after the second.
		{"lock used before", []string{"u: begin; lock m; read a; write a; unlock m; end", "v: lock m; unlock m; write a"}, lostUpdate, true},
		{"lock used after", []string{"u: begin; lock m; read a; write a; unlock m; end", "v: write a; lock m; unlock m"}, lostUpdate, true},
		{"lock used between", []string{"u: begin; write a; lock m; write b; unlock m; write a; end", "v: begin; read a; lock m; unlock m; read b; end"}, halfDone, true},
		// In the first phase u takes m for good and then uses n, v takes n
		// for good and then uses m: whoever is first stops the other.
		{"locks kept in a circle", []string{
			"u: begin; lock m; lock n; unlock n; write a; write b; unlock m; end",
			"v: begin; lock n; lock m; unlock m; read b; read a; unlock n; end",
		}, oldAndNew, false},
		{"locks kept one after the other", []string{
			"u: begin; lock m; lock n; unlock n; write a; write b; unlock m; end",
			"v: begin; lock m; unlock m; lock n; read b; read a; unlock n; end",
		}, oldAndNew, true},
		// After the write of b, u gives up m when it has used n, v gives up n
		// when it has used m.
		{"locks given up in a circle", []string{
			"u: begin; lock m; write a; write b; lock n; unlock n; unlock m; end",
			"v: begin; lock n; read b; lock m; unlock m; unlock n; read a; end",
		}, oldAndNew, false},
		{"locks given up in a circle, but not all at the same time", []string{
			"u: begin; lock m; write a; lock n; unlock n; unlock m; write b; end",
			"v: begin; lock n; read b; lock m; unlock m; unlock n; read a; end",
		}, oldAndNew, true},
		// One of the two ways to do something is in a circle.
		{"locks kept in a circle or not", []string{
			"u: begin; choice { lock m; lock n; unlock n } or { lock n; unlock n; lock m }; write a; write b; unlock m; end",
			"v: begin; lock n; lock m; unlock m; write b; write a; unlock n; end",
		}, bothSplit, true},
		{"locks not kept in a circle or so", []string{
			"u: begin; choice { lock n; unlock n; lock m } or { lock m; lock n; unlock n }; write a; write b; unlock m; end",
			"v: begin; lock n; lock m; unlock m; write b; write a; unlock n; end",
		}, bothSplit, true},
		{"locks given up in a circle or not", []string{
			"u: begin; lock m; lock o; write a; write b; unlock o; lock n; unlock n; unlock m; end",
			"v: begin; lock n; write b; lock o; unlock o; choice { lock m; unlock m; unlock n } or { unlock n; lock m; unlock m }; write a; end",
		}, bothSplit, true},
		{"locks not given up in a circle or so", []string{
			"u: begin; lock m; lock o; write a; write b; unlock o; lock n; unlock n; unlock m; end",
			"v: begin; lock n; write b; lock o; unlock o; choice { unlock n; lock m; unlock m } or { lock m; unlock m; unlock n }; write a; end",
		}, bothSplit, true},
		// v has to pass m while u does nothing but give it up and take it
		// again: n, which v takes before u takes o, makes u wait for v.
		{"lock kept or given up between", []string{
			"u: begin; lock o; lock m; write a; lock n; unlock n; choice { skip } or { wait m }; write b; end",
			"v: begin; lock n; lock o; unlock o; write b; unlock n; lock m; unlock m; write a; end",
		}, bothSplit, true},
		{"lock given up or kept between", []string{
			"u: begin; lock o; lock m; write a; lock n; unlock n; choice { wait m } or { skip }; write b; end",
			"v: begin; lock n; lock o; unlock o; write b; unlock n; lock m; unlock m; write a; end",
		}, bothSplit, true},
		{"lock kept between", []string{
			"u: begin; lock o; lock m; write a; lock n; unlock n; write b; end",
			"v: begin; lock n; lock o; unlock o; write b; unlock n; lock m; unlock m; write a; end",
		}, bothSplit, false},
		{"locks kept for reading in a circle", []string{
			"u: begin; rlock m; rlock n; runlock n; write a; write b; runlock m; end",
			"v: begin; rlock n; rlock m; runlock m; read b; read a; runlock n; end",
		}, oldAndNew, true},
		{"torn read of what is written at once", []string{"u: begin; lock m; read a; unlock m; lock m; read b; unlock m; end", "v: " + both}, tornRead, true},
		{"read at once of what is written at once", []string{"u: begin; lock m; read a; read b; unlock m; end", "v: " + both}, tornRead, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, got := compareAll(t, write(test.procs...), none)
			i := find(test.scenario, 0, [2]int{0, 1})
			if got.possible(i) != test.possible {
				t.Errorf("possible: %v, want %v of\n%s", got.possible(i), test.possible, s.text)
			}
		})
	}
}

// TestStart has u start v.
func TestStart(t *testing.T) {
	const (
		lostUpdate = 1
		seenHalf   = 3
		tornRead   = 9
	)
	for _, test := range []struct {
		name     string
		procs    []string
		scenario int
		u        int // the process in this role
		possible bool
	}{
		{"between start and join", []string{"u: start v; begin; read a; write a; end; join v", "v: write a"}, lostUpdate, 0, true},
		{"before the start", []string{"u: begin; read a; write a; end; start v", "v: write a"}, lostUpdate, 0, false},
		{"after the join", []string{"u: start v; join v; begin; read a; write a; end", "v: write a"}, lostUpdate, 0, false},
		{"start between the accesses", []string{"u: begin; read a; start v; write a; end", "v: write a"}, lostUpdate, 0, true},
		{"join between the accesses", []string{"u: start v; begin; read a; join v; write a; end", "v: write a"}, lostUpdate, 0, true},
		{"start and join between the accesses", []string{"u: begin; read a; start v; join v; write a; end", "v: write a"}, lostUpdate, 0, true},
		{"neither", []string{"u: begin; read a; write a; end", "v: write a"}, lostUpdate, 0, false},
		{"another is joined", []string{"u: start v; join w; begin; read a; write a; end", "v: write a", "w: skip"}, lostUpdate, 0, true},
		{"another is started", []string{"u: start w; begin; read a; write a; end", "v: write a", "w: skip"}, lostUpdate, 0, false},
		{"started again", []string{"u: start v; join v; begin; read a; start v; write a; end", "v: write a"}, lostUpdate, 0, true},
		{"join in one branch", []string{"u: start v; choice { join v } or { }; begin; read a; write a; end", "v: write a"}, lostUpdate, 0, true},
		{"start in one branch", []string{"u: choice { start v } or { }; begin; read a; write a; end", "v: write a"}, lostUpdate, 0, true},
		{"started in a loop", []string{"u: loop { start v; begin; read a; write a; end; join v }", "v: write a"}, lostUpdate, 0, true},
		{"started in a callee", []string{"u: call s; begin; read a; write a; end", "s: start v", "v: write a"}, lostUpdate, 0, true},
		{"joined in a callee", []string{"u: start v; call j; begin; read a; write a; end", "j: join v", "v: write a"}, lostUpdate, 0, false},
		{"v is u", []string{"u: start v; write a; join v", "v: begin; read a; write a; end"}, lostUpdate, 1, true},
		{"v is u, before the start", []string{"u: write a; start v", "v: begin; read a; write a; end"}, lostUpdate, 1, false},
		{"v is u, after the join", []string{"u: start v; join v; write a", "v: begin; read a; write a; end"}, lostUpdate, 1, false},
		{"v is u, and u stops", []string{"u: start v; write a; stop", "v: begin; read a; write a; end"}, lostUpdate, 1, true},
		{"v is u, and u stops at once", []string{"u: begin; write a; start v; stop", "v: begin; read a; write a; end"}, lostUpdate, 1, false},
		{"start between, and both accesses of v", []string{"u: begin; read a; start v; join v; read b; end", "v: begin; write a; write b; end"}, tornRead, 0, true},
		{"start after the first of v", []string{"u: begin; write a; start v; write a; end", "v: read a; skip"}, seenHalf, 0, true},
		{"join with the lock that v needs", []string{"u: begin; read a; lock m; start v; join v; unlock m; write a; end", "v: lock m; write a; unlock m"}, lostUpdate, 0, false},
		{"join with a lock that v needs later", []string{"u: begin; read a; start v; lock m; join v; unlock m; write a; end", "v: write a; lock m; unlock m"}, lostUpdate, 0, true},
		{"join with a lock that v needs first", []string{"u: begin; read a; start v; lock m; join v; unlock m; write a; end", "v: lock m; unlock m; write a"}, lostUpdate, 0, true},
		{"start with a lock", []string{"u: begin; lock m; read a; start v; write a; unlock m; end", "v: lock m; write a; unlock m"}, lostUpdate, 0, false},
		{"start with a lock, given up between", []string{"u: begin; lock m; read a; start v; unlock m; lock m; write a; unlock m; end", "v: lock m; write a; unlock m"}, lostUpdate, 0, true},
		{"v does not end", []string{"u: start v; begin; read a; join v; write a; end", "v: write a; lock m; lock m"}, lostUpdate, 0, false},
		{"v ends with a lock", []string{"u: start v; begin; read a; join v; write a; end", "v: lock m; write a"}, lostUpdate, 0, true},
		{"v ends with a lock that u needs", []string{"u: start v; begin; read a; join v; lock m; write a; unlock m; end", "v: lock m; write a"}, lostUpdate, 0, false},
		{"v stops", []string{"u: start v; begin; read a; join v; write a; end", "v: write a; stop"}, lostUpdate, 0, true},
		{"v stops before", []string{"u: start v; begin; read a; join v; write a; end", "v: stop; write a"}, lostUpdate, 0, false},
		{"v stops in a call", []string{"u: start v; begin; read a; join v; write a; end", "v: write a; call w; lock m; lock m", "w: stop"}, lostUpdate, 0, true},
		{"v stops after a call", []string{"u: start v; begin; read a; join v; write a; end", "v: begin; call w; stop", "w: write a"}, lostUpdate, 0, true},
		{"v stops in a unit", []string{"u: start v; begin; read a; join v; write a; end", "v: begin; write a; stop"}, lostUpdate, 0, true},
		{"v stops with a lock", []string{"u: start v; begin; read a; join v; lock m; write a; unlock m; end", "v: lock m; write a; stop"}, lostUpdate, 0, false},
		{"v stops after the join", []string{"u: start v; join v; begin; read a; write a; end", "v: choice { write a; stop } or { write a }"}, lostUpdate, 0, false},
		{"v is recursive", []string{"u: start v; begin; read a; join v; write a; end", "v: choice { call v } or { write a }"}, lostUpdate, 0, true},
		{"v is recursive, after the join", []string{"u: start v; join v; begin; read a; write a; end", "v: choice { call v } or { write a }"}, lostUpdate, 0, false},
		{"v is recursive, with locks", []string{"u: start v; begin; lock m; read a; unlock m; join v; write a; end", "v: lock m; write a; unlock m; choice { call v } or { }; lock m; unlock m"}, lostUpdate, 0, true},
		{"v starts itself", []string{"u: start v; begin; read a; join v; write a; end", "v: choice { start v; join v } or { }; write a"}, lostUpdate, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, got := compareAll(t, write(test.procs...), 0)
			i := find(test.scenario, test.u, [2]int{0, 1})
			if got.possible(i) != test.possible {
				t.Errorf("possible: %v, want %v of\n%s", got.possible(i), test.possible, s.text)
			}
		})
	}
}

// TestRecursion has procedures that call themselves. The answers are exact and
// the search for traces comes to an end.
func TestRecursion(t *testing.T) {
	const (
		lostUpdate = 1
		tornRead   = 9
		update     = "lock m; write a; unlock m"
	)
	for _, test := range []struct {
		name     string
		procs    []string
		scenario int
		possible bool
		method   check.Method
	}{
		{"balanced", []string{"u: begin; call f; end", "f: lock m; read a; unlock m; choice { call f } or { }; lock m; write a; unlock m", "v: " + update}, lostUpdate, true, check.Histories},
		{"at different depths", []string{"u: begin; call f; end", "f: choice { lock m; read a; unlock m; call f; call f } or { lock m; write a; unlock m }", "v: " + update}, lostUpdate, true, check.Histories},
		{"read on the way in, written on the way out", []string{"u: begin; call f; end", "f: choice { lock m; read a; unlock m; call f } or { lock m; write a; unlock m }", "v: " + update}, lostUpdate, true, check.Histories},
		{"unit of each call", []string{"u: call f", "f: begin; lock m; read a; unlock m; end; choice { call f } or { }; begin; lock m; write a; unlock m; end", "v: " + update}, lostUpdate, false, check.Histories},
		{"unit around the call", []string{"u: call f", "f: begin; lock m; read a; unlock m; choice { call f } or { }; end; begin; lock m; write a; unlock m; end", "v: " + update}, lostUpdate, true, check.Histories},
		{"locked", []string{"u: begin; lock m; call f; unlock m; end", "f: read a; choice { call f } or { }; write a", "v: " + update}, lostUpdate, false, check.Histories},
		{"locked by another lock", []string{"u: begin; lock n; call f; unlock n; end", "f: lock m; read a; unlock m; choice { call f } or { }; lock m; write a; unlock m", "v: lock n; " + update + "; unlock n"}, lostUpdate, false, check.Histories},
		{"locked in each call", []string{"u: begin; call f; end", "f: lock m; read a; choice { call f } or { }; write a; unlock m", "v: " + update}, lostUpdate, false, check.Histories},
		{"locked for reading in each call", []string{"u: begin; call f; end", "f: rlock m; read a; choice { runlock m; call f; rlock m } or { }; read b; runlock m", "v: begin; lock m; write a; write b; unlock m; end"}, tornRead, true, check.Histories},
		{"without an end", []string{"u: begin; call f; end", "f: lock m; read a; unlock m; call f; write a", "v: " + update}, lostUpdate, false, check.Histories},
		{"after what has no end", []string{"u: begin; read a; call f; write a; end", "f: call f", "v: " + update}, lostUpdate, false, check.Histories},
		{"mutual", []string{"u: begin; call f; end", "f: lock m; read a; unlock m; choice { call g } or { }", "g: choice { call f } or { lock m; write a; unlock m }", "v: " + update}, lostUpdate, true, check.Histories},
		{"mutual and locked", []string{"u: begin; lock m; call f; unlock m; end", "f: read a; choice { call g } or { }", "g: choice { call f } or { write a }", "v: " + update}, lostUpdate, false, check.Histories},
		{"taken on the way in, given up on the way out", []string{"u: begin; lock m; call f; lock m; write a; unlock m; end", "f: choice { call f } or { read a; unlock m }", "v: " + update}, lostUpdate, true, check.Histories},
		{"both recursive", []string{
			"u: begin; call f; end", "f: lock m; read a; unlock m; choice { call f } or { }; lock m; read b; unlock m",
			"v: begin; call g; end", "g: lock m; write a; unlock m; choice { call g } or { }; lock m; write b; unlock m",
		}, tornRead, true, check.Histories},
		{"crossed and recursive", []string{"u: begin; call f; end", "f: lock m; lock n; unlock m; read a; unlock n; choice { call f } or { }", "v: lock n; write a; unlock n"}, lostUpdate, false, check.Bounded},
		{"crossed and recursive, possible", []string{"u: begin; call f; end", "f: lock m; lock n; unlock m; read a; unlock n; choice { call f } or { }; lock n; write a; unlock n", "v: lock n; write a; unlock n"}, lostUpdate, true, check.Product},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, got := compareAll(t, write(test.procs...), none)
			i := find(test.scenario, 0, [2]int{0, 1})
			if got.possible(i) != test.possible {
				t.Errorf("possible: %v, want %v of\n%s", got.possible(i), test.possible, s.text)
			}
			if got := s.c.Check(s.question(queries[i])); got.Method != test.method {
				t.Errorf("the method is %v, want %v", got.Method, test.method)
			}
		})
	}
}

// TestRecursionRelease has a procedure that gives up its caller's lock before it
// calls itself, so that a run of a call can stand for runs without one.
func TestRecursionRelease(t *testing.T) {
	ways := []string{
		"unlock m; lock m; call f",
		"unlock m; lock n; unlock n; lock m; call f",
		"read a",
		"unlock m; lock o; unlock o; lock m; read a",
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v", r)
		}
	}()
	for range ways {
		ways = append(ways[1:], ways[0])
		f := "f: choice { " + strings.Join(ways, " } or { ") + " }"
		compareAll(t, write("u: lock m; call f", f, "v: begin; write a; write a; end"), none)
		compareAll(t, write("u: begin; lock m; call f; read a; end", f, "v: lock m; write a; unlock m; lock o"), none)
	}
}

// TestCrossed has locks that are not nested.
func TestCrossed(t *testing.T) {
	const (
		lostUpdate = 1
		tornRead   = 9
	)
	for _, test := range []struct {
		name     string
		procs    []string
		scenario int
		possible bool
	}{
		{"hand over hand", []string{
			"u: begin; lock m; read a; lock n; unlock m; read b; unlock n; end",
			"v: begin; lock m; write a; lock n; unlock m; write b; unlock n; end",
		}, tornRead, false},
		{"hand over hand with a gap", []string{
			"u: begin; lock m; read a; unlock m; lock n; read b; unlock n; end",
			"v: begin; lock m; write a; lock n; unlock m; write b; unlock n; end",
		}, tornRead, true},
		{"hand over hand, the other locks all", []string{
			"u: begin; lock m; read a; lock n; unlock m; read b; unlock n; end",
			"v: begin; lock m; lock n; write a; write b; unlock n; unlock m; end",
		}, tornRead, false},
		{"hand over hand, the other in the other order", []string{
			"u: begin; lock m; read a; lock n; unlock m; read b; unlock n; end",
			"v: begin; lock n; lock m; write a; write b; unlock m; unlock n; end",
		}, tornRead, false},
		{"hand over hand, the other writes one after the other", []string{
			"u: begin; lock m; read a; lock n; unlock m; read b; unlock n; end",
			"v: begin; lock m; write a; unlock m; write b; end",
		}, tornRead, true},
		{"crossed in one unit, and a lock for all", []string{
			"u: begin; lock o; lock m; lock n; unlock m; read a; unlock n; write a; unlock o; end",
			"v: lock o; write a; unlock o",
		}, lostUpdate, false},
		{"crossed after the accesses", []string{
			"u: begin; read a; write a; lock m; lock n; unlock m; unlock n; end",
			"v: write a",
		}, lostUpdate, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, got := compareAll(t, write(test.procs...), none)
			i := find(test.scenario, 0, [2]int{0, 1})
			if got.possible(i) != test.possible {
				t.Errorf("possible: %v, want %v of\n%s", got.possible(i), test.possible, s.text)
			}
			if got := s.c.Check(s.question(queries[find(2, 1, [2]int{0, 1})])); got.Method == check.Bounded {
				t.Error("the search is cut short")
			}
		})
	}
	s, _ := compareAll(t, write("u: begin; lock m; read a; lock n; unlock m; read b; unlock n; end", "v: begin; write a; write b; end"), none)
	if got := s.c.Check(s.question(queries[find(9, 0, [2]int{0, 1})])); got != (check.Answer{Possible: true, Method: check.Product}) {
		t.Errorf("got %v", got)
	}
}

// TestManyLocks has more locks than histories or the search can name.
func TestManyLocks(t *testing.T) {
	for locks, want := range map[int]check.Answer{
		1:  {Possible: true, Method: check.Histories},
		25: {Possible: true, Method: check.Histories},
		32: {Possible: true, Method: check.Product},
		40: {Possible: false, Method: check.Bounded},
	} {
		var b strings.Builder
		b.WriteString("proc u {\nbegin\nread a\n")
		for i := range locks {
			fmt.Fprintf(&b, "lock m%d\nunlock m%d\n", i, i)
		}
		b.WriteString("write a\nend\n}\nproc v {\nwrite a\n}\n")
		m, err := model.Parse(b.String())
		if err != nil {
			t.Fatal(err)
		}
		q := check.Question{Pair: check.Pair{U: 0, V: 1, Parent: -1}, Scenario: scenario.All[0]}
		if got := check.New(m).Check(q); got != want {
			t.Errorf("with %d locks: got %v, want %v", locks, got, want)
		}
	}
}

// TestSame has one procedure for both processes.
func TestSame(t *testing.T) {
	m, err := model.Parse("proc p {\nbegin\nlock m\nread a\nunlock m\nlock m\nwrite a\nunlock m\nend\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	c := check.New(m)
	for _, s := range scenario.All[:5] { // those about one location
		q := check.Question{Pair: check.Pair{Parent: -1}, Scenario: s}
		want := s.Number == 1 // R(a) W'(a) W(a)
		if got := c.Check(q); got.Possible != want || (c.Trace(q) != nil) != want {
			t.Errorf("%v: got %v, want %v", s, got, want)
		}
	}
}

// TestOrderOfQuestions asks one checker and many: what was asked before does
// not count.
func TestOrderOfQuestions(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		text := shape{locks: 2, calls: true, branches: true}.generate(r)
		s, ok := newSubject(t, text, none, limits{rounds: 1, nesting: 2, ways: 100})
		if !ok {
			continue
		}
		for _, i := range r.Perm(len(queries)) {
			q := s.question(queries[i])
			if got, want := s.c.Check(q), check.New(s.m).Check(q); got != want {
				t.Errorf("%v: got %v, want %v of\n%s", queries[i], got, want, text)
			}
		}
	}
}

func TestAccesses(t *testing.T) {
	text := write(
		"u: begin; read a; call f; write a; read a; start v; end",
		"f: choice { write b } or { call f; write a }",
		"v: read b",
		"w: skip",
	)
	m, err := model.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	c := check.New(m)
	for name, want := range map[string]string{
		"u": "reads [0] writes [0 1]",
		"f": "reads [] writes [0 1]",
		"v": "reads [1] writes []",
		"w": "reads [] writes []",
	} {
		p := slices.IndexFunc(m.Procs, func(p *model.Proc) bool { return p.Name == name })
		reads, writes := c.Accesses(p)
		if got := fmt.Sprintf("reads %v writes %v", reads, writes); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestTrace has interleavings in full: they are as short as possible, with as
// few changes from one process to the other.
func TestTrace(t *testing.T) {
	for _, test := range []struct {
		procs []string
		want  string
	}{
		{[]string{
			"u: begin; lock m; read b; unlock m; lock m; read a; unlock m; choice { lock m; read b; unlock m } or { }; lock m; write a; unlock m; end",
			"v: loop { rlock n; read b; runlock n }; lock o; write b; unlock o; lock m; write b; wait m; write a; unlock m; lock m",
		}, "u: lock m, read b, unlock m, lock m, read a *, unlock m; v: lock o, write b, unlock o, lock m, write b, unlock m, lock m, write a *, unlock m; u: lock m, write a *"},
		{[]string{
			"u: begin; lock n; unlock n; lock m; read a; write a; end",
			"v: lock m; unlock m; write a; unlock m",
		}, "v: lock m, unlock m; u: lock n, unlock n, lock m, read a *; v: write a *; u: write a *"},
	} {
		s, _ := compareAll(t, write(test.procs...), none)
		q := queries[find(1, 0, [2]int{0, 1})]
		if got := s.show(q, s.c.Trace(s.question(q))); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestMethod(t *testing.T) {
	for m, want := range map[check.Method]string{
		check.Histories: "lock histories",
		check.Product:   "product",
		check.Bounded:   "bounded search",
	} {
		if got := m.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
