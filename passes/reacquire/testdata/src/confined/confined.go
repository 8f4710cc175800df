// Package confined has locks that are taken twice under another by the only goroutine that
// writes what they guard, as a field that is written without a lock shows.
package confined

import "sync"

// Table has one goroutine that changes it, which counts its rounds without a lock.
type Table struct {
	outer  sync.Mutex
	mu     sync.Mutex
	size   int
	rounds int
	log    []int
}

func (t *Table) get() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size
}

func (t *Table) set(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.size = n
}

// Reset is run by the same goroutine, without the outer lock.
func (t *Table) Reset() { t.rounds++; t.set(0) }

// Step is that goroutine's.
func (t *Table) Step() {
	t.rounds++
	t.outer.Lock()
	n := t.get()
	t.log = append(t.log, n)
	t.set(n + 1)
	t.outer.Unlock()
}

// Size is for everybody.
func (t *Table) Size() int { return t.get() }

// Shared is the same without the evidence.
type Shared struct {
	outer sync.Mutex
	mu    sync.Mutex
	size  int
	log   []int
}

func (t *Shared) get() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size
}

func (t *Shared) set(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.size = n
}

// Reset does without the outer lock.
func (t *Shared) Reset() { t.set(0) }

func (t *Shared) Step() {
	t.outer.Lock()
	n := t.get()
	t.log = append(t.log, n)
	t.set(n + 1) // want `reacquire: `
	t.outer.Unlock()
}
