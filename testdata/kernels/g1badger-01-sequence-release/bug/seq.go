// Package bug hands out unique numbers from ranges that are reserved in a store.
package bug

import (
	"encoding/binary"
	"errors"
	"sync"
)

var (
	errNotFound = errors.New("key not found")
	errClosed   = errors.New("store is closed")
	errZero     = errors.New("range must not be zero")
)

// Store is a small transactional store.
type Store struct {
	mu     sync.RWMutex
	data   map[string][]byte
	closed bool
	writes uint64
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{data: make(map[string][]byte)} }

// Txn is valid inside of Update and View.
type Txn struct {
	s       *Store
	pending map[string][]byte
}

// Get reads a key.
func (t *Txn) Get(key string) ([]byte, error) {
	if v, ok := t.pending[key]; ok {
		return v, nil
	}
	v, ok := t.s.data[key]
	if !ok {
		return nil, errNotFound
	}
	return v, nil
}

// Set writes a key when the transaction ends well.
func (t *Txn) Set(key string, v []byte) { t.pending[key] = v }

// Update runs one function at a time.
func (s *Store) Update(fn func(t *Txn) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	t := &Txn{s: s, pending: make(map[string][]byte)}
	if err := fn(t); err != nil {
		return err
	}
	for k, v := range t.pending {
		s.data[k] = v
		s.writes++
	}
	return nil
}

// View runs a function that only reads.
func (s *Store) View(fn func(t *Txn) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	return fn(&Txn{s: s})
}

// Close ends the use of the store.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Writes returns the number of keys written.
func (s *Store) Writes() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.writes
}

// Counter is a source of numbers. Any number of counters may share a key.
type Counter struct {
	mu    sync.Mutex
	store *Store
	key   string
	next  uint64
	end   uint64
	width uint64
}

// Counter returns a counter with a first range.
func (s *Store) Counter(key string, width uint64) (*Counter, error) {
	if width == 0 {
		return nil, errZero
	}
	c := &Counter{store: s, key: key, width: width}
	if err := c.reserve(); err != nil {
		return nil, err
	}
	return c, nil
}

// Next returns a number that no other counter of the key returns.
func (c *Counter) Next() (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next >= c.end {
		if err := c.reserve(); err != nil {
			return 0, err
		}
	}
	n := c.next
	c.next++
	return n, nil
}

// Left returns how many numbers can be had without the store.
func (c *Counter) Left() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end - c.next
}

// Release gives back what was not used. The counter may be used again.
func (c *Counter) Release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.store.Update(func(t *Txn) error {
		t.Set(c.key, encode(c.next))
		return nil
	})
	if err != nil {
		return err
	}
	c.end = c.next
	return nil
}

func (c *Counter) reserve() error {
	return c.store.Update(func(t *Txn) error {
		v, err := t.Get(c.key)
		switch {
		case err == errNotFound:
			c.next = 0
		case err != nil:
			return err
		default:
			c.next = binary.BigEndian.Uint64(v)
		}
		end := c.next + c.width
		t.Set(c.key, encode(end))
		c.end = end
		return nil
	})
}

func encode(n uint64) []byte {
	return binary.BigEndian.AppendUint64(nil, n)
}

// Pool gives each worker its own counter of a key.
type Pool struct {
	mu       sync.Mutex
	store    *Store
	key      string
	counters map[int]*Counter
}

// NewPool returns an empty pool.
func NewPool(s *Store, key string) *Pool {
	return &Pool{store: s, key: key, counters: make(map[int]*Counter)}
}

// Get returns the counter of a worker.
func (p *Pool) Get(worker int) (*Counter, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.counters[worker]; c != nil {
		return c, nil
	}
	c, err := p.store.Counter(p.key, 100)
	if err != nil {
		return nil, err
	}
	p.counters[worker] = c
	return c, nil
}

// Drop releases the counter of a worker.
func (p *Pool) Drop(worker int) error {
	p.mu.Lock()
	c := p.counters[worker]
	delete(p.counters, worker)
	p.mu.Unlock()
	if c == nil {
		return nil
	}
	return c.Release()
}
