package locks

import "sync"

// The parts of a new object that are elements of an array, or of a slice that is made for it, are new, too:
// that a constructor writes them without their locks says nothing of what the locks guard.

type shard[K comparable] struct {
	mu    sync.RWMutex
	byKey map[K]*int
}

type Sharded[K comparable] struct {
	hash  func(K) int
	parts [8]shard[K]
	more  []shard[K]
	given []shard[K]
}

func NewSharded[K comparable](hash func(K) int, n int) *Sharded[K] {
	s := &Sharded[K]{hash: hash, more: make([]shard[K], n)}
	for i := range s.parts {
		s.parts[i].byKey = make(map[K]*int)
	}
	for i := range s.more {
		part := &s.more[i]
		part.byKey = make(map[K]*int)
	}
	return s
}

func (s *Sharded[K]) of(key K) *shard[K] { return &s.parts[s.hash(key)%len(s.parts)] }

func (s *Sharded[K]) Get(key K) *int {
	part := s.of(key)
	part.mu.RLock()
	v, ok := part.byKey[key]
	part.mu.RUnlock()
	if ok {
		return v
	}
	v = new(int)
	part.mu.Lock()
	part.byKey[key] = v // want `check-then-act: shard\.byKey was checked at line \d+, but shard\.mu was released at line \d+`
	part.mu.Unlock()
	return v
}

func (s *Sharded[K]) Delete(key K) {
	part := s.of(key)
	part.mu.Lock()
	defer part.mu.Unlock()
	delete(part.byKey, key)
}
