package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/summary"
)

// changesElement: the rival changes an element by an operation of its own, such as a move to the front of a list, and leaves it where
// it is in the container. Who has found no element finds none then.
//
//	if _, ok := c.get(key); !ok { c.add(key, v) }
//
//	func (c *cache) get(key string) (string, bool) { // under c.mu
//		e, ok := c.items[key]
//		if ok { c.order.MoveToFront(e) }
//		…
//	}
func (r rival) changesElement() bool {
	c := r.candidate
	_, e := r.d.pkg.WriteOf(r.writer)
	if c == nil || c.data || e == nil || e.Key == "" || e.Op&summary.Content == 0 || !c.foundNothing() && !c.toldNothing() {
		return false
	}
	facts := c.facts()
	return len(facts) > 0 && !slices.ContainsFunc(facts, func(f fact) bool { return f.to != present })
}
