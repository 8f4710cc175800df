package badger

import (
	"sync"
	"sync/atomic"
)

const BitDelete = 1 // Set if the key has been deleted.

type value struct {
	val  []byte
	meta byte
}

// Arena holds the keys and values of one skiplist.
type Arena struct {
	mu   sync.RWMutex
	data map[string]value
	size int
}

func (a *Arena) reset() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.data = make(map[string]value)
	a.size = 0
}

// ArenaPool keeps the arenas that are free.
type ArenaPool struct {
	free chan *Arena
}

func NewArenaPool(n int) *ArenaPool {
	return &ArenaPool{free: make(chan *Arena, n)}
}

func (p *ArenaPool) Get() *Arena {
	select {
	case a := <-p.free:
		return a
	default:
		return &Arena{data: make(map[string]value)}
	}
}

func (p *ArenaPool) Put(a *Arena) {
	a.reset()
	select {
	case p.free <- a:
	default:
	}
}

// Skiplist maps keys to values (in memory). It returns its arena to the pool when the
// last reference is gone.
type Skiplist struct {
	ref       int32
	arena     *Arena
	arenaPool *ArenaPool
}

func NewSkiplist(pool *ArenaPool) *Skiplist {
	return &Skiplist{ref: 1, arena: pool.Get(), arenaPool: pool}
}

// IncrRef increases the refcount
func (s *Skiplist) IncrRef() {
	atomic.AddInt32(&s.ref, 1)
}

// DecrRef decrements the refcount, deallocating the Skiplist when done using it
func (s *Skiplist) DecrRef() {
	newRef := atomic.AddInt32(&s.ref, -1)
	if newRef > 0 {
		return
	}
	s.arenaPool.Put(s.arena)
}

// Put inserts the key-value pair.
func (s *Skiplist) Put(key, val []byte, meta byte) {
	s.arena.mu.Lock()
	defer s.arena.mu.Unlock()
	s.arena.data[string(key)] = value{append([]byte(nil), val...), meta}
	s.arena.size += len(key) + len(val) + 1
}

// Get gets the value associated with the key.
func (s *Skiplist) Get(key []byte) ([]byte, byte) {
	s.arena.mu.RLock()
	defer s.arena.mu.RUnlock()
	v := s.arena.data[string(key)]
	return v.val, v.meta
}

// Size returns the size of the Skiplist in terms of how much memory is used within its internal
// arena.
func (s *Skiplist) Size() int {
	s.arena.mu.RLock()
	defer s.arena.mu.RUnlock()
	return s.arena.size
}

type levelsController struct {
	sync.RWMutex
	level0 []map[string]value
}

func newLevelsController() *levelsController { return &levelsController{} }

func (s *levelsController) addLevel0Table(mt *Skiplist) {
	tbl := make(map[string]value)
	mt.arena.mu.RLock()
	for k, v := range mt.arena.data {
		tbl[k] = v
	}
	mt.arena.mu.RUnlock()

	s.Lock()
	defer s.Unlock()
	s.level0 = append(s.level0, tbl)
}

// get returns the found value if any. If not found, we return nil.
func (s *levelsController) get(key []byte) ([]byte, byte) {
	s.RLock()
	defer s.RUnlock()
	for i := len(s.level0) - 1; i >= 0; i-- {
		if v, ok := s.level0[i][string(key)]; ok {
			return v.val, v.meta
		}
	}
	return nil, 0
}
