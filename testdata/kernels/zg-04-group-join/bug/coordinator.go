// Package groups is the consumer group coordinator of a message broker.
package groups

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrNoGroup is returned by a store that does not know a group.
var ErrNoGroup = errors.New("groups: no such group")

// Meta is what is kept about a group.
type Meta struct {
	Group      string
	Generation int
	Members    map[string]string // member id -> client host
	Assignment map[string][]int  // member id -> partitions
}

// Store keeps group metadata. Implementations are safe for concurrent use and
// never share maps with the caller.
type Store interface {
	Load(group string) (Meta, error)
	Save(m Meta) error
}

// Memory is a Store for single-node brokers.
type Memory struct {
	mu     sync.RWMutex
	groups map[string]Meta
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{groups: make(map[string]Meta)} }

func (m Meta) clone() Meta {
	m.Members = maps.Clone(m.Members)
	m.Assignment = maps.Clone(m.Assignment)
	return m
}

// Load implements Store.
func (s *Memory) Load(group string) (Meta, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	m, ok := s.groups[group]
	if !ok {
		return Meta{}, ErrNoGroup
	}
	return m.clone(), nil
}

// Save implements Store.
func (s *Memory) Save(m Meta) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[m.Group] = m.clone()
	return nil
}

// Coordinator hands out partitions. Its methods are called from the goroutines
// of the client connections.
type Coordinator struct {
	store      Store
	partitions int
	lastID     atomic.Uint64
}

// NewCoordinator returns a coordinator for topics with the given number of
// partitions. It is the only writer of the store.
func NewCoordinator(store Store, partitions int) *Coordinator {
	return &Coordinator{store: store, partitions: partitions}
}

// Join adds a client to a group and returns its member id and the new
// generation. The member leaves when gone is closed.
func (c *Coordinator) Join(group, host string, gone <-chan struct{}) (string, int, error) {
	id := fmt.Sprintf("%s-%d", host, c.lastID.Add(1))
	gen, err := c.mutate(group, func(m *Meta) bool {
		m.Members[id] = host
		return true
	})
	if err != nil {
		return "", 0, err
	}
	go func() {
		<-gone
		_ = c.Leave(group, id)
	}()
	return id, gen, nil
}

// Leave takes a member out of its group. It is fine to leave twice.
func (c *Coordinator) Leave(group, id string) error {
	_, err := c.mutate(group, func(m *Meta) bool {
		if _, ok := m.Members[id]; !ok {
			return false
		}
		delete(m.Members, id)
		return true
	})
	return err
}

// mutate applies change to the metadata of a group, deals the partitions out
// anew and returns the resulting generation. A change that returns false
// leaves the group as it is.
func (c *Coordinator) mutate(group string, change func(*Meta) bool) (int, error) {
	m, err := c.store.Load(group)
	if errors.Is(err, ErrNoGroup) {
		m = Meta{Group: group, Members: make(map[string]string)}
	} else if err != nil {
		return 0, err
	}
	if !change(&m) {
		return m.Generation, nil
	}
	m.Generation++
	m.Assignment = deal(m.Members, c.partitions)
	if err := c.store.Save(m); err != nil {
		return 0, err
	}
	return m.Generation, nil
}

// deal spreads the partitions evenly over the members.
func deal(members map[string]string, partitions int) map[string][]int {
	ids := slices.Sorted(maps.Keys(members))
	out := make(map[string][]int, len(ids))
	if len(ids) == 0 {
		return out
	}
	for p := range partitions {
		id := ids[p%len(ids)]
		out[id] = append(out[id], p)
	}
	return out
}

// Assigned returns the partitions of a member and the generation they are of.
func (c *Coordinator) Assigned(group, id string) ([]int, int, error) {
	m, err := c.store.Load(group)
	if err != nil {
		return nil, 0, err
	}
	if _, ok := m.Members[id]; !ok {
		return nil, 0, fmt.Errorf("groups: %s is not a member of %s", id, group)
	}
	return slices.Clone(m.Assignment[id]), m.Generation, nil
}
