package idiom

import "sync"

// A ledger has weights of pages, which stay.
type ledger struct {
	mu      sync.RWMutex
	head    int
	weights map[int]int
}

func (l *ledger) Add(page, weight int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.weights[page] = weight
	l.head = page
}

func (l *ledger) last() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.head
}

func (l *ledger) weight(page int) int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.weights[page]
}

// Head asks for the weight of the page that it has found.
func (l *ledger) Head() (int, int) {
	page := l.last()
	return page, l.weight(page)
}
