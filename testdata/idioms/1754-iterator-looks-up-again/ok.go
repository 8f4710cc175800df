package a

import (
	"iter"
	"slices"
	"sync"
)

// Endpoint is one instance of a service. Values are copied freely.
type Endpoint struct {
	Addr   string
	Weight int

	seq uint64 // number of the registration
}

// Catalog maps instance ids to endpoints.
type Catalog struct {
	mu    sync.RWMutex
	byID  map[string]Endpoint
	total int // sum of the weights
	seq   uint64
}

// NewCatalog makes an empty catalog.
func NewCatalog() *Catalog {
	return &Catalog{byID: make(map[string]Endpoint)}
}

// Set adds an instance or replaces it.
func (c *Catalog) Set(id string, ep Endpoint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq++
	ep.seq = c.seq
	c.total += ep.Weight - c.byID[id].Weight
	c.byID[id] = ep
}

// Remove takes an instance out.
func (c *Catalog) Remove(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeLocked(id)
}

func (c *Catalog) removeLocked(id string) {
	c.total -= c.byID[id].Weight
	delete(c.byID, id)
}

// Get returns an instance.
func (c *Catalog) Get(id string) (Endpoint, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	ep, ok := c.byID[id]
	return ep, ok
}

// ids lists the instances in order.
func (c *Catalog) ids() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make([]string, 0, len(c.byID))
	for id := range c.byID {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// All iterates over the instances by id. The loop body may change the
// catalog: an instance removed before its turn is left out, one that was
// replaced is seen as it is then, one that was added may not be seen.
func (c *Catalog) All() iter.Seq2[string, Endpoint] {
	return func(yield func(string, Endpoint) bool) {
		for _, id := range c.ids() {
			ep, ok := c.Get(id)
			if !ok {
				continue
			}
			if !yield(id, ep) {
				return
			}
		}
	}
}

// removeIf removes an instance unless it was registered anew.
func (c *Catalog) removeIf(id string, old Endpoint) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ep, ok := c.byID[id]
	if !ok || ep.seq != old.seq {
		return false
	}
	c.removeLocked(id)
	return true
}

// Probe removes the instances that do not answer. One that was registered
// anew during its check stays.
func (c *Catalog) Probe(alive func(Endpoint) bool) int {
	n := 0
	for id, ep := range c.All() {
		if !alive(ep) && c.removeIf(id, ep) {
			n++
		}
	}
	return n
}

// Totals returns the number of instances and the sum of their weights.
func (c *Catalog) Totals() (n, weight int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.byID), c.total
}
