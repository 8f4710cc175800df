package nearmiss

import "sync"

// A ledger has weights of pages. See idiom for one in which they stay, and are asked for by what was read.
type ledger struct {
	mu      sync.RWMutex
	head    int
	weights map[int]int
	old     map[int]int
}

func (l *ledger) Add(page, weight int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.old, l.head)
	l.old[page] = weight
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

func (l *ledger) oldWeight(page int) int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.old[page]
}

// Mixed asks for the weight of another page.
func (l *ledger) Mixed(page int) int {
	head := l.last()
	return head * l.weight(page) // want `split-read: l\.head at line \d+ and l\.weights\[page\] here are read apart`
}

// Old asks for one that Add may have taken out.
func (l *ledger) Old() int {
	head := l.last()
	return head * l.oldWeight(head) // want `split-read: l\.head at line \d+ and l\.old\[…\] here are read apart`
}
