// Package strict lets values escape from their critical sections. That is
// reported with the flag -strict only.
package strict

import (
	"sync"
	"sync/atomic"
)

type Box struct {
	mu   sync.Mutex
	n    int
	name string
	fix  int
	hits atomic.Int64
}

func New(fix int) *Box { return &Box{fix: fix} }

func (b *Box) Set(n int, name string) {
	b.mu.Lock()
	b.n, b.name = n, name
	b.mu.Unlock()
}

// Print uses what it read when the lock is free again.
func (b *Box) Print() {
	b.mu.Lock()
	n := b.n
	b.mu.Unlock()
	println(n) // want `escape: b\.n was read at line \d+ under b\.mu and is used here after that was released`
}

// PrintLocked does so under the lock.
func (b *Box) PrintLocked() {
	b.mu.Lock()
	n := b.n
	println(n)
	b.mu.Unlock()
}

// Get gives it to the caller.
func (b *Box) Get() int {
	b.mu.Lock()
	n := b.n
	b.mu.Unlock()
	return n // want `escape: b\.n was read at line \d+ under b\.mu and is used here after that was released`
}

// Twice uses it twice: the first use is reported.
func (b *Box) Twice() {
	b.mu.Lock()
	n := b.n
	b.mu.Unlock()
	println(n + 1) // want `escape: b\.n was read`
	println(n + 2)
}

// Constant is not written after construction.
func (b *Box) Constant() int {
	b.mu.Lock()
	n := b.fix
	b.mu.Unlock()
	return n
}

// Unused: what was read is not used later.
func (b *Box) Unused() {
	b.mu.Lock()
	if b.n > 10 {
		b.n = 10
	}
	b.mu.Unlock()
	println("done")
}

// Double is a lost update, with or without the flag.
func (b *Box) Double() {
	b.mu.Lock()
	n := b.n
	b.mu.Unlock()
	n *= 2 // want `escape: b\.n was read`
	b.mu.Lock()
	b.n = n // want `lost-update: b\.n was read`
	b.mu.Unlock()
}
