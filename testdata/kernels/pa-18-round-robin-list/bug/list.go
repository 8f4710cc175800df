package balancer

import (
	"slices"
	"sync"
)

// List is a list that is replaced as a whole now and then.
type List[T any] struct {
	mu    sync.RWMutex
	items []T
}

// Len returns the number of items.
func (l *List[T]) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.items)
}

// At returns the item with index i.
func (l *List[T]) At(i int) T {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.items[i]
}

// Snapshot returns a copy of the items.
func (l *List[T]) Snapshot() []T {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Clone(l.items)
}

// Replace sets the items.
func (l *List[T]) Replace(items []T) {
	items = slices.Clone(items)
	l.mu.Lock()
	l.items = items
	l.mu.Unlock()
}
