// Package store has types that lock in their methods. Others use them by what
// the facts about this package say: see package client.
package store

import "sync"

// An Item is what a Store holds.
type Item struct {
	Name string
	Refs int
}

// A Store maps names to items.
type Store struct {
	mu    sync.RWMutex
	items map[string]*Item
	limit int
	sum   int
}

// New returns an empty store.
func New(limit int) *Store { return &Store{items: make(map[string]*Item), limit: limit} }

// Has reports whether there is an item.
func (s *Store) Has(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.items[name]
	return ok
}

// Get returns an item, or nil.
func (s *Store) Get(name string) *Item {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.items[name]
}

// Find returns an item and whether there is one.
func (s *Store) Find(name string) (*Item, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	it, ok := s.items[name]
	return it, ok
}

// Put sets an item.
func (s *Store) Put(name string, it *Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[name] = it
}

// PutIfAbsent sets an item unless there is one, and returns what there is.
func (s *Store) PutIfAbsent(name string, it *Item) (*Item, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.items[name]; ok {
		return old, false
	}
	s.items[name] = it
	return it, true
}

// Remove removes an item.
func (s *Store) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.items, name)
}

// Take removes an item and returns it.
func (s *Store) Take(name string) *Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	it := s.items[name]
	delete(s.items, name)
	return it
}

// Len returns the number of items.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.items)
}

// Limit returns the limit.
func (s *Store) Limit() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.limit
}

// SetLimit sets the limit.
func (s *Store) SetLimit(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = n
}

// Raise adds to the limit.
func (s *Store) Raise(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit += n
}

// Update applies f to the limit.
func (s *Store) Update(f func(limit int) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = f(s.limit)
}

// Sum and SetSum know nothing of the limit.
func (s *Store) Sum() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sum
}

// SetSum sets the sum.
func (s *Store) SetSum(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum = n
}

// Do calls f for every item under the lock.
func (s *Store) Do(f func(*Item)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, it := range s.items {
		f(it)
	}
}

// With calls f under the lock.
func (s *Store) With(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// A Var is a generic variable that locks by itself.
type Var[T any] struct {
	mu  sync.Mutex
	val T
}

// Get returns the value.
func (v *Var[T]) Get() T {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.val
}

// Set sets the value.
func (v *Var[T]) Set(x T) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.val = x
}

// Frozen is set once, when it is made.
type Frozen struct {
	mu   sync.Mutex
	size int
	uses int
}

// NewFrozen returns a Frozen of the given size.
func NewFrozen(size int) *Frozen { return &Frozen{size: size} }

// Size never changes.
func (f *Frozen) Size() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.size
}

// Use counts.
func (f *Frozen) Use(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.uses += n
}

var (
	defaultMu   sync.Mutex
	defaultItem *Item
)

// Default returns the default item, or nil.
func Default() *Item {
	defaultMu.Lock()
	defer defaultMu.Unlock()
	return defaultItem
}

// SetDefault sets the default item.
func SetDefault(it *Item) {
	defaultMu.Lock()
	defer defaultMu.Unlock()
	defaultItem = it
}

// Keys that are put together at each place.
const counterPrefix = "counter/"

type Counters struct {
	kv   *Store
	name string
}

func (c *Counters) stored() *Item { return c.kv.Get(counterPrefix + c.name + "/value") }

func (c *Counters) store(it *Item) { c.kv.Put(counterPrefix+c.name+"/value", it) }

func (c *Counters) Init(it *Item) {
	if c.stored() == nil {
		c.store(it) // want `check-then-act: c\.kv\.\w+\[…\] was checked`
	}
}

// InitOther asks for another key.
func (c *Counters) InitOther(it *Item) {
	if c.kv.Get("other/"+c.name+"/value") == nil {
		c.store(it)
	}
}
