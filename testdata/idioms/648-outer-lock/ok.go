// Package group coordinates the members of a consumer group.
package group

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
)

// ErrMember is returned for unknown members.
var ErrMember = errors.New("group: unknown member")

// Notifier tells a member what it has to read.
type Notifier interface {
	Assign(ctx context.Context, member string, generation int, partitions []int) error
}

// registry is the state that readers see.
type registry struct {
	mu         sync.RWMutex
	generation int
	members    map[string]bool
	assignment map[string][]int
}

func (r *registry) list() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.members))
}

func (r *registry) set(member string, present bool) (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed = r.members[member] != present
	if present {
		r.members[member] = true
	} else {
		delete(r.members, member)
	}
	return changed
}

func (r *registry) current() (int, map[string][]int) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.generation, r.assignment
}

func (r *registry) replace(generation int, a map[string][]int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.generation, r.assignment = generation, a
}

// Coordinator of one group.
type Coordinator struct {
	partitions int
	notifier   Notifier

	coord sync.Mutex // serializes all changes
	reg   registry
}

// New returns a coordinator for that many partitions.
func New(partitions int, n Notifier) *Coordinator {
	return &Coordinator{partitions: partitions, notifier: n, reg: registry{
		members: make(map[string]bool), assignment: make(map[string][]int)}}
}

// Join adds a member and rebalances.
func (c *Coordinator) Join(ctx context.Context, member string) error {
	c.coord.Lock()
	defer c.coord.Unlock()
	if !c.reg.set(member, true) {
		return nil
	}
	return c.rebalance(ctx)
}

// Leave removes a member and rebalances.
func (c *Coordinator) Leave(ctx context.Context, member string) error {
	c.coord.Lock()
	defer c.coord.Unlock()
	if !c.reg.set(member, false) {
		return ErrMember
	}
	return c.rebalance(ctx)
}

// rebalance deals the partitions out anew. c.coord is held.
func (c *Coordinator) rebalance(ctx context.Context) error {
	members := c.reg.list()
	generation, old := c.reg.current()
	next := make(map[string][]int, len(members))
	if n := len(members); n > 0 {
		for p := range c.partitions {
			m := members[p%n]
			next[m] = append(next[m], p)
		}
	}
	generation++
	c.reg.replace(generation, next)
	var errs []error
	for _, m := range members {
		if !slices.Equal(old[m], next[m]) {
			errs = append(errs, c.notifier.Assign(ctx, m, generation, next[m]))
		}
	}
	return errors.Join(errs...)
}

// Describe returns the generation and who reads what.
func (c *Coordinator) Describe() (int, map[string][]int) {
	generation, a := c.reg.current()
	return generation, maps.Clone(a)
}
