// Package members knows the nodes of a cluster.
package members

import (
	"errors"
	"maps"
	"sync"
	"time"
)

// ErrNone means that no node is alive.
var ErrNone = errors.New("members: no node is alive")

// Node is what is known about a node.
type Node struct {
	Zone string
	Load float64
	Seen time.Time
}

type table struct {
	mu    sync.RWMutex
	nodes map[string]Node
}

// view calls f with the table under the read lock.
func (t *table) view(f func(all map[string]Node)) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	f(t.nodes)
}

// edit calls f with the table under the write lock.
func (t *table) edit(f func(all map[string]Node)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(t.nodes)
}

// Members is the list of the nodes.
type Members struct {
	table
	dist func(zone string) float64 // measured, may be slow
}

// New returns an empty list.
func New(dist func(zone string) float64) *Members {
	return &Members{table: table{nodes: make(map[string]Node)}, dist: dist}
}

// Gossip takes news from updates until the channel is closed. Each peer has
// such a goroutine.
func (m *Members) Gossip(updates <-chan map[string]Node) {
	go func() {
		for news := range updates {
			m.edit(func(all map[string]Node) {
				for addr, n := range news {
					if n.Seen.After(all[addr].Seen) {
						all[addr] = n
					}
				}
			})
		}
	}()
}

// Count returns the number of nodes in a zone.
func (m *Members) Count(zone string) (n int) {
	m.view(func(all map[string]Node) {
		for _, node := range all {
			if node.Zone == zone {
				n++
			}
		}
	})
	return n
}

// Pick returns a near node with little load.
func (m *Members) Pick(alive time.Duration) (string, error) {
	var nodes map[string]Node
	m.view(func(all map[string]Node) {
		nodes = maps.Clone(all)
	})
	best, cost := "", 0.0
	for addr, n := range nodes {
		if time.Since(n.Seen) > alive {
			continue
		}
		if c := n.Load + m.dist(n.Zone); best == "" || c < cost {
			best, cost = addr, c
		}
	}
	if best == "" {
		return "", ErrNone
	}
	return best, nil
}
