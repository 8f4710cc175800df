package positions

import (
	"slices"
	"sync"
)

// Lines is a list that is changed by the functions of package slices.
type Lines struct {
	mu   sync.RWMutex
	list []string
}

func (l *Lines) position(x string) int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.IndexFunc(l.list, func(have string) bool { return have == x })
}

// cut only looks whether the list is long enough.
func (l *Lines) cut(i int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i >= len(l.list) {
		return false
	}
	l.list = slices.Delete(l.list, i, i+1)
	return true
}

// cutOf looks whether it is the line that was meant.
func (l *Lines) cutOf(i int, x string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i >= len(l.list) || l.list[i] != x {
		return false
	}
	l.list = slices.Delete(l.list, i, i+1)
	return true
}

func (l *Lines) Next() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.Delete(l.list, 0, 1)
}

func (l *Lines) Withdraw(x string) bool {
	i := l.position(x)
	return i >= 0 && l.cut(i) // want `check-then-act: l.list was checked at line 49, .*another goroutine may remove or move elements before this call of cut, which uses the index`
}

// WithdrawOf is right.
func (l *Lines) WithdrawOf(x string) bool {
	i := l.position(x)
	return i >= 0 && l.cutOf(i, x)
}
