package limit

import (
	"fmt"
	"slices"
)

// A Record has the functions of a package that exceed a bound. It is not safe for concurrent
// use. The methods of a nil Record record nothing.
type Record struct {
	exceeded map[excess]bool
}

type excess struct {
	function string
	bound    string
}

// Add records that a function exceeds the bound with the given name.
func (r *Record) Add(function, bound string) {
	if r == nil {
		return
	}
	if r.exceeded == nil {
		r.exceeded = make(map[excess]bool)
	}
	r.exceeded[excess{function, bound}] = true
}

// Take returns what was recorded since the last call, a line for each function and bound, in
// a fixed order.
func (r *Record) Take() []string {
	if r == nil {
		return nil
	}
	var out []string
	for e := range r.exceeded {
		i := slices.IndexFunc(Table, func(l Limit) bool { return l.Name == e.bound })
		out = append(out, fmt.Sprintf("%s: more than %d %s", e.function, Table[i].Max, Table[i].Of))
	}
	slices.Sort(out)
	r.exceeded = nil
	return out
}
