package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/summary"
)

// insertsIfAbsent: an object that was not found in one container is inserted by a callee
// that looks for it, in the section of the insertion.
//
//	if s.byID(id) == nil {
//		s.getOrCreate(name) // looks into s.names before it fills it
//	}
//
// The function that inserts such an object in between is seen by that look, if it fills the
// container that the callee looks into. That the first look was in another container does
// not matter: it is an index of the same objects. A flag that was read instead says nothing
// of what a container has.
func (c *candidate) insertsIfAbsent() bool {
	return c.act.Callee != nil && c.read.Key != "" && c.act.Looked() && c.fills() && c.foundAbsent() && c.looksBeforeAll()
}

// looksBeforeAll reports whether the callee looks at each place of the container that it
// fills: to make a list where it is missing says nothing about the elements that are put into it.
func (c *candidate) looksBeforeAll() bool {
	all := c.act.Callee.Accesses
	a := &all[c.act.Index]
	return !slices.ContainsFunc(all, func(b summary.Access) bool {
		fills := b.Op&summary.Write != 0 && b.Op&summary.Delete == 0 && b.Loc == a.Loc && b.Regions&a.Regions != 0
		return fills && !slices.ContainsFunc(b.Control, func(i int) bool {
			return all[i].Loc == b.Loc && all[i].Base == b.Base && all[i].Key == b.Key
		})
	})
}

// foundAbsent reports whether the act is only reached if the element that was read is
// absent.
func (c *candidate) foundAbsent() bool {
	facts := c.facts()
	return len(facts) > 0 && !slices.ContainsFunc(facts, func(f fact) bool { return f.to != present || f.equal })
}
