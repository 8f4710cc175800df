// Package placement decides which node serves a shard.
package placement

import (
	"errors"
	"sync"
)

var (
	// ErrNoNode is returned while no node takes shards.
	ErrNoNode = errors.New("placement: no node")
	// ErrUnknownNode is returned for a node that was not added.
	ErrUnknownNode = errors.New("placement: unknown node")
)

// loads counts the shards of every node. It has a lock of its own for the sake
// of the metrics scraper.
type loads struct {
	mu sync.RWMutex
	m  map[string]int
}

// least returns the node with the fewest shards, other than except.
func (l *loads) least(except string) (string, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	best, found := "", false
	for node, n := range l.m {
		if node == except {
			continue
		}
		if !found || n < l.m[best] || n == l.m[best] && node < best {
			best, found = node, true
		}
	}
	return best, found
}

func (l *loads) has(node string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, ok := l.m[node]
	return ok
}

func (l *loads) get(node string) int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.m[node]
}

func (l *loads) set(node string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.m[node] = n
}

func (l *loads) remove(node string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.m, node)
}

// owners maps shards to nodes. It is read for every request.
type owners struct {
	mu sync.RWMutex
	m  map[int]string
}

func (o *owners) get(shard int) (string, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	node, ok := o.m[shard]
	return node, ok
}

func (o *owners) set(shard int, node string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.m[shard] = node
}

func (o *owners) of(node string) []int {
	o.mu.RLock()
	defer o.mu.RUnlock()
	var shards []int
	for s, n := range o.m {
		if n == node {
			shards = append(shards, s)
		}
	}
	return shards
}

// Map assigns shards to nodes. It is safe for concurrent use.
type Map struct {
	plan   sync.Mutex // taken by AddNode, Assign and Drain for all they do
	loads  loads
	owners owners
}

// NewMap returns a Map without nodes.
func NewMap() *Map {
	return &Map{
		loads:  loads{m: make(map[string]int)},
		owners: owners{m: make(map[int]string)},
	}
}

// AddNode lets node take shards.
func (m *Map) AddNode(node string) {
	m.plan.Lock()
	defer m.plan.Unlock()
	if !m.loads.has(node) {
		m.loads.set(node, 0)
	}
}

// Assign returns the node of shard and picks one for a new shard.
func (m *Map) Assign(shard int) (string, error) {
	if node, ok := m.owners.get(shard); ok {
		return node, nil
	}
	m.plan.Lock()
	defer m.plan.Unlock()
	if node, ok := m.owners.get(shard); ok {
		return node, nil
	}
	return m.place(shard, "")
}

// place gives shard to the node with the fewest, other than except. The caller
// holds plan.
func (m *Map) place(shard int, except string) (string, error) {
	node, ok := m.loads.least(except)
	if !ok {
		return "", ErrNoNode
	}
	m.loads.set(node, m.loads.get(node)+1)
	m.owners.set(shard, node)
	return node, nil
}

// Drain takes node out and gives its shards to the others. The last node stays.
func (m *Map) Drain(node string) error {
	m.plan.Lock()
	defer m.plan.Unlock()
	if !m.loads.has(node) {
		return ErrUnknownNode
	}
	if _, ok := m.loads.least(node); !ok {
		return ErrNoNode
	}
	for _, shard := range m.owners.of(node) {
		if _, err := m.place(shard, node); err != nil {
			return err
		}
	}
	m.loads.remove(node)
	return nil
}

// Owner returns the node of shard.
func (m *Map) Owner(shard int) (string, bool) { return m.owners.get(shard) }

// Load returns the number of shards of node, for the metrics scraper.
func (m *Map) Load(node string) int { return m.loads.get(node) }
