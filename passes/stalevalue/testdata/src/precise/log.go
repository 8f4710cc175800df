package precise

import (
	"sync"

	"tracer"
)

// A Board has scores.
type Board struct {
	mu     sync.Mutex
	scores map[string]int
}

func (b *Board) Set(k string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.scores[k] = n
}

// Tell only logs what it has seen.
func (b *Board) Tell(k string, wait func()) {
	b.mu.Lock()
	n := b.scores[k]
	b.mu.Unlock()
	wait()
	b.mu.Lock()
	tracer.Debug("changed", "from", n, "to", b.scores[k])
	b.mu.Unlock()
}

// Mark keeps it elsewhere.
func (b *Board) Mark(k string, wait func()) {
	b.mu.Lock()
	n := b.scores[k]
	b.mu.Unlock()
	wait()
	b.mu.Lock()
	if b.scores[k] > 0 {
		tracer.Mark(n) // want `stale-use: b\.scores\[k\] was read at line \d+`
	}
	b.mu.Unlock()
}
