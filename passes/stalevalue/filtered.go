package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// filtersAnew: the stale look at a container only decides whether to make another one, and that is made, in the section of
// the act, of the elements that are there then, each of which is asked again.
//
//	if !anyExpired(s.snapshot()) { return }
//	s.mu.Lock()
//	live := make(map[string]entry)
//	for k, e := range s.entries {
//		if e.deadline > now { live[k] = e }
//	}
//	s.entries = live
//	s.mu.Unlock()
func (c *candidate) filtersAnew() bool {
	if c.act.Key != "" || len(c.act.Inputs) != 1 {
		return false
	}
	made := c.d.f.Slice(c.act.Inputs[0])
	return !made.HasAny(c.read.Values) && slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e != c.read && e.Reads() && c.isOnRead(e) && made.HasAny(e.Values) && c.d.oneSection(e, c.act) &&
			slices.ContainsFunc(made, func(v ssa.Value) bool { return c.choosesInto(v, e) })
	})
}

// choosesInto reports whether elements are put into a new map or list only if a branch on what e reads says so.
func (c *candidate) choosesInto(container ssa.Value, e *summary.Event) bool {
	var puts []ssa.Instruction
	switch v := container.(type) {
	case *ssa.MakeMap:
		puts = updatesOf(v)
	case *ssa.Call:
		if ssautil.IsAppend(v) {
			puts = []ssa.Instruction{v}
		}
	}
	return len(puts) > 0 && !slices.ContainsFunc(puts, func(put ssa.Instruction) bool { return !c.isChosen(put, e) })
}

// isChosen reports whether an instruction is control dependent on a branch whose condition reads an element of the container
// that e reads.
func (c *candidate) isChosen(at ssa.Instruction, e *summary.Event) bool {
	for br := range c.d.f.BranchesOn(e.Values) {
		if slices.ContainsFunc(c.d.f.Slice(br.Cond), ofElement) && c.d.f.OnlySide(br, at) >= 0 {
			return true
		}
	}
	return false
}

// ofElement reports whether a value is, or is in, an element of a container.
func ofElement(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Extract:
		_, next := v.Tuple.(*ssa.Next)
		return next && v.Index > 0
	case *ssa.Lookup, *ssa.Index, *ssa.IndexAddr:
		return true
	}
	return false
}

// updatesOf returns the insertions into a map, which may be in a variable.
func updatesOf(m *ssa.MakeMap) []ssa.Instruction {
	var out []ssa.Instruction
	insertions := func(v ssa.Value) {
		for _, use := range ssautil.Uses(v) {
			if put, ok := use.(*ssa.MapUpdate); ok && put.Map == v {
				out = append(out, put)
			}
		}
	}
	insertions(m)
	for _, use := range ssautil.Uses(m) {
		st, ok := use.(*ssa.Store)
		if !ok || st.Val != ssa.Value(m) {
			continue
		}
		for _, l := range ssautil.Uses(st.Addr) {
			if v, ok := l.(*ssa.UnOp); ok {
				insertions(v)
			}
		}
	}
	return out
}
