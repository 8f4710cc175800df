// Package cart keeps the shopping carts of anonymous sessions in a fixed table,
// so that memory stays bounded during sales.
package cart

import (
	"errors"
	"slices"
	"sync"
)

var (
	ErrFull = errors.New("cart: session table is full")
	ErrGone = errors.New("cart: session has ended")
)

// Handle names a session. It goes into the visitor's cookie.
type Handle struct {
	Index uint32
	Gen   uint32
}

// Item is a line in a cart.
type Item struct {
	SKU   string
	Count int
}

type slot struct {
	mu    sync.Mutex
	gen   uint32
	owner string
	items []Item
}

// Table holds the slots.
type Table struct {
	slots []slot

	mu   sync.Mutex
	free []uint32
}

// NewTable returns a table for n sessions.
func NewTable(n int) *Table {
	t := &Table{slots: make([]slot, n), free: make([]uint32, 0, n)}
	for i := range n {
		t.free = append(t.free, uint32(n-1-i))
	}
	return t
}

// Begin starts a session for a visitor.
func (t *Table) Begin(visitor string) (Handle, error) {
	t.mu.Lock()
	n := len(t.free)
	if n == 0 {
		t.mu.Unlock()
		return Handle{}, ErrFull
	}
	i := t.free[n-1]
	t.free = t.free[:n-1]
	t.mu.Unlock()

	s := &t.slots[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gen++
	s.owner = visitor
	s.items = s.items[:0]
	return Handle{Index: i, Gen: s.gen}, nil
}

// End ends a session and makes its slot free.
func (t *Table) End(h Handle) error {
	if int(h.Index) >= len(t.slots) {
		return ErrGone
	}
	s := &t.slots[h.Index]
	s.mu.Lock()
	if s.gen != h.Gen || s.owner == "" {
		s.mu.Unlock()
		return ErrGone
	}
	s.gen++
	s.owner = ""
	s.mu.Unlock()

	t.mu.Lock()
	t.free = append(t.free, h.Index)
	t.mu.Unlock()
	return nil
}

func (t *Table) resolve(h Handle) (*slot, error) {
	if int(h.Index) >= len(t.slots) {
		return nil, ErrGone
	}
	return &t.slots[h.Index], nil
}

func (s *slot) add(gen uint32, it Item) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gen != gen {
		return ErrGone
	}
	for i := range s.items {
		if s.items[i].SKU == it.SKU {
			s.items[i].Count += it.Count
			return nil
		}
	}
	s.items = append(s.items, it)
	return nil
}

func (s *slot) list(gen uint32) ([]Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gen != gen {
		return nil, ErrGone
	}
	return slices.Clone(s.items), nil
}

// AddItem puts an item in the session's cart.
func (t *Table) AddItem(h Handle, it Item) error {
	if it.Count <= 0 {
		return errors.New("cart: count must be positive")
	}
	s, err := t.resolve(h)
	if err != nil {
		return err
	}
	return s.add(h.Gen, it)
}

// Items returns what is in the session's cart.
func (t *Table) Items(h Handle) ([]Item, error) {
	s, err := t.resolve(h)
	if err != nil {
		return nil, err
	}
	return s.list(h.Gen)
}
