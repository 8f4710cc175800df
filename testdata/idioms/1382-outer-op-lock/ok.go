package idiom1382

import (
	"fmt"
	"sync"
)

type info struct {
	name   string
	parent string
	size   int64
}

// store has a lock of its own for readers that do not take part in operations.
type store struct {
	mu    sync.RWMutex
	infos map[string]info
}

func (s *store) get(name string) (info, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, ok := s.infos[name]
	return i, ok
}

func (s *store) put(i info) {
	s.mu.Lock()
	s.infos[i.name] = i
	s.mu.Unlock()
}

func (s *store) remove(name string) {
	s.mu.Lock()
	delete(s.infos, name)
	s.mu.Unlock()
}

func (s *store) hasChildren(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, i := range s.infos {
		if i.parent == name {
			return true
		}
	}
	return false
}

type snapshotter struct {
	opMu sync.Mutex // held for the whole of every operation that changes st
	st   store
}

// New returns an empty snapshotter.
func New() *snapshotter {
	return &snapshotter{st: store{infos: make(map[string]info)}}
}

// Stat may run during an operation.
func (s *snapshotter) Stat(name string) (int64, error) {
	i, ok := s.st.get(name)
	if !ok {
		return 0, fmt.Errorf("%s: not found", name)
	}
	return i.size, nil
}

// Prepare creates a snapshot on top of parent.
func (s *snapshotter) Prepare(name, parent string) error {
	s.opMu.Lock()
	defer s.opMu.Unlock()
	return s.create(name, parent)
}

func (s *snapshotter) create(name, parent string) error {
	if _, ok := s.st.get(name); ok {
		return fmt.Errorf("%s: already exists", name)
	}
	if _, ok := s.st.get(parent); !ok && parent != "" {
		return fmt.Errorf("%s: not found", parent)
	}
	s.st.put(info{name: name, parent: parent})
	return nil
}

// Grow adds to the size of a snapshot.
func (s *snapshotter) Grow(name string, n int64) error {
	s.opMu.Lock()
	defer s.opMu.Unlock()
	i, ok := s.st.get(name)
	if !ok {
		return fmt.Errorf("%s: not found", name)
	}
	i.size += n
	s.st.put(i)
	return nil
}

// Remove deletes a snapshot that has no children.
func (s *snapshotter) Remove(name string) error {
	s.opMu.Lock()
	defer s.opMu.Unlock()
	if s.st.hasChildren(name) {
		return fmt.Errorf("%s: has children", name)
	}
	s.st.remove(name)
	return nil
}
