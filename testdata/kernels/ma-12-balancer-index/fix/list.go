package balance

import "sync"

// List is a slice that several goroutines work on.
type List[T comparable] struct {
	mu    sync.RWMutex
	items []T
}

// Len returns the number of elements.
func (l *List[T]) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.items)
}

// Pick returns the element for a running number, round robin.
func (l *List[T]) Pick(seq uint64) (item T, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	n := uint64(len(l.items))
	if n == 0 {
		return item, false
	}
	return l.items[seq%n], true
}

// Add appends an element unless it is there.
func (l *List[T]) Add(item T) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, have := range l.items {
		if have == item {
			return false
		}
	}
	l.items = append(l.items, item)
	return true
}

// Remove takes an element out.
func (l *List[T]) Remove(item T) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, have := range l.items {
		if have == item {
			l.items = append(l.items[:i], l.items[i+1:]...)
			return true
		}
	}
	return false
}
