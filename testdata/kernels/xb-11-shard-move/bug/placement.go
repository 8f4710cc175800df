// Package placement decides which node serves which shard. Request handlers
// ask it on every request, operators and the balancer move shards.
package placement

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrNoNodes is returned when there is no node to place a shard on.
var ErrNoNodes = errors.New("placement: no nodes")

// ShardID and NodeID name shards and nodes.
type (
	ShardID uint32
	NodeID  string
)

// Change tells subscribers that a shard has a new owner. Changes may arrive
// out of order; the one with the highest Version counts.
type Change struct {
	Version uint64
	Shard   ShardID
	Owner   NodeID
}

// Table is safe for concurrent use.
type Table struct {
	notify func(Change)

	mu      sync.Mutex
	version uint64
	owner   map[ShardID]NodeID
	serving map[NodeID]map[ShardID]struct{}
}

// New returns a table without nodes. notify is called for every change, from
// any goroutine.
func New(notify func(Change)) *Table {
	return &Table{
		notify:  notify,
		owner:   make(map[ShardID]NodeID),
		serving: make(map[NodeID]map[ShardID]struct{}),
	}
}

// update runs fn with the table locked.
func (t *Table) update(fn func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fn()
}

// AddNode makes a node available.
func (t *Table) AddNode(n NodeID) {
	_ = t.update(func() error {
		if t.serving[n] == nil {
			t.serving[n] = make(map[ShardID]struct{})
		}
		return nil
	})
}

// Locate returns the owner of a shard. A shard asked for the first time is
// placed on the node that serves fewest.
func (t *Table) Locate(s ShardID) (NodeID, error) {
	var (
		owner  NodeID
		placed *Change
	)
	err := t.update(func() error {
		if n, ok := t.owner[s]; ok {
			owner = n
			return nil
		}
		n, ok := t.leastLoaded()
		if !ok {
			return ErrNoNodes
		}
		owner = n
		c := t.attach(s, n)
		placed = &c
		return nil
	})
	if placed != nil {
		t.notify(*placed)
	}
	return owner, err
}

// Move makes node to the owner of a placed shard.
func (t *Table) Move(s ShardID, to NodeID) error {
	err := t.update(func() error {
		if _, ok := t.serving[to]; !ok {
			return fmt.Errorf("placement: unknown node %q", to)
		}
		return t.detach(s)
	})
	if err != nil {
		return err
	}
	var c Change
	_ = t.update(func() error {
		c = t.attach(s, to)
		return nil
	})
	t.notify(c)
	return nil
}

// Serving lists the shards of a node in order.
func (t *Table) Serving(n NodeID) []ShardID {
	var out []ShardID
	_ = t.update(func() error {
		for s := range t.serving[n] {
			out = append(out, s)
		}
		return nil
	})
	slices.Sort(out)
	return out
}

// detach takes a shard from its owner. The table is locked.
func (t *Table) detach(s ShardID) error {
	n, ok := t.owner[s]
	if !ok {
		return fmt.Errorf("placement: shard %d is not placed", s)
	}
	delete(t.owner, s)
	delete(t.serving[n], s)
	return nil
}

// attach gives a shard without owner to n. The table is locked.
func (t *Table) attach(s ShardID, n NodeID) Change {
	t.version++
	t.owner[s] = n
	t.serving[n][s] = struct{}{}
	return Change{Version: t.version, Shard: s, Owner: n}
}

// leastLoaded picks the node that serves fewest shards. The table is locked.
func (t *Table) leastLoaded() (best NodeID, ok bool) {
	for n, shards := range t.serving {
		m := len(t.serving[best])
		if !ok || len(shards) < m || len(shards) == m && n < best {
			best, ok = n, true
		}
	}
	return best, ok
}
