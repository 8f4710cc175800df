// Package shards decides which node serves which shard.
package shards

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrUnknownNode is returned for a node that is not in the cluster.
var ErrUnknownNode = errors.New("shards: unknown node")

// Op is an instruction to a node. A node that is told to open a shard waits
// for the shard's storage lock, which the former owner drops when it closes.
type Op struct {
	Shard int
	Open  bool
}

// Allocator is safe for concurrent use.
type Allocator struct {
	total int

	mu     sync.Mutex
	owner  map[int]string
	load   map[string]int
	outbox map[string][]Op
}

// New returns an allocator of total shards. Until ctx ends it looks every so
// often for shards that nobody serves.
func New(ctx context.Context, total int, every time.Duration) *Allocator {
	a := &Allocator{
		total:  total,
		owner:  make(map[int]string),
		load:   make(map[string]int),
		outbox: make(map[string][]Op),
	}
	go a.run(ctx, every)
	return a
}

func (a *Allocator) run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			a.fill()
		}
	}
}

// AddNode lets a node take shards.
func (a *Allocator) AddNode(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.load[name]; !ok {
		a.load[name] = 0
	}
}

// RemoveNode forgets a dead node; its shards are given out again.
func (a *Allocator) RemoveNode(name string) {
	a.mu.Lock()
	for shard, n := range a.owner {
		if n == name {
			delete(a.owner, shard)
		}
	}
	delete(a.load, name)
	delete(a.outbox, name)
	a.mu.Unlock()
	a.fill()
}

// Poll returns the instructions that wait for a node.
func (a *Allocator) Poll(name string) []Op {
	a.mu.Lock()
	defer a.mu.Unlock()
	ops := a.outbox[name]
	delete(a.outbox, name)
	return ops
}

// Owner returns the node that serves a shard.
func (a *Allocator) Owner(shard int) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, ok := a.owner[shard]
	return n, ok
}

// Move hands a shard over to another node, for an operator's rebalancing.
func (a *Allocator) Move(shard int, to string) error {
	if shard < 0 || shard >= a.total {
		return fmt.Errorf("shards: no shard %d", shard)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.load[to]; !ok {
		return ErrUnknownNode
	}
	a.take(shard)
	a.give(shard, to)
	return nil
}

// fill gives every shard without an owner to the least loaded node.
func (a *Allocator) fill() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for shard := range a.total {
		if _, ok := a.owner[shard]; ok {
			continue
		}
		best, found := "", false
		for n, l := range a.load {
			if !found || l < a.load[best] {
				best, found = n, true
			}
		}
		if !found {
			return
		}
		a.give(shard, best)
	}
}

// take and give are called with a.mu held.
func (a *Allocator) take(shard int) {
	n, ok := a.owner[shard]
	if !ok {
		return
	}
	delete(a.owner, shard)
	a.load[n]--
	a.outbox[n] = append(a.outbox[n], Op{Shard: shard})
}

func (a *Allocator) give(shard int, node string) {
	a.owner[shard] = node
	a.load[node]++
	a.outbox[node] = append(a.outbox[node], Op{Shard: shard, Open: true})
}
