package interleave

// A harmful run is a stale decision if T2 runs as it does before T1, and T1 goes on to act. Other
// harmful runs are those in which T2 sees what T1 has done so far, such as a reservation, a claim
// flag or an element that has been taken: T1 means them to be seen, and a difference that comes of
// them alone is mostly the order of two operations, or an operation that is turned away.
//
// Nor is it one if T1 does nothing afterwards: a compare-and-swap that fails, or a second look.

// isStale reports whether an interleaved run is a stale decision, by comparison with T2;T1.
func isStale(mix, serial *run) bool {
	c := &comparison{a: mix, b: serial, pairs: make(map[string]string), back: make(map[string]string), worst: none}
	if !c.same(mix.threads[1].result, serial.threads[1].result, 3) {
		return false
	}
	return c.sameDeeds(mix.deeds(1, 0), serial.deeds(1, 0)) && len(mix.deeds(0, mix.resumed())) > 0
}

// A deed is a write to the start state, or an effect.
type deed struct {
	what string
	args []value
}

// deeds returns those of a unit, the writes from an index of the log on. What is done outside is
// not in the log, and counts as done at the end.
func (r *run) deeds(unit, from int) []deed {
	var out []deed
	for _, e := range r.log[from:] {
		if e.Unit == unit+1 && e.Action == Writes {
			out = append(out, deed{e.Place, []value{e.val}})
		}
	}
	for _, e := range r.effects {
		if e.unit == unit {
			out = append(out, deed{e.what, e.args})
		}
	}
	return out
}

// resumed returns the index of the log where T1 goes on after T2.
func (r *run) resumed() int {
	for i := len(r.log) - 1; i >= 0; i-- {
		if r.log[i].Action == Switched {
			return i
		}
	}
	return 0
}

func (c *comparison) sameDeeds(x, y []deed) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].what != y[i].what || !c.all(x[i].args, y[i].args, 3) {
			return false
		}
	}
	return true
}
