// Package knownstrict is like package known, for the flag -strict.
package knownstrict

import (
	"sync"
	"sync/atomic"
)

type Box struct {
	mu   sync.Mutex
	n    int
	kids []*Box
	hits atomic.Int64
}

func (b *Box) Set(n int) {
	b.mu.Lock()
	b.n = n
	b.mu.Unlock()
	b.hits.Add(1)
}

// Branch does nothing but decide by what it has read.
func (b *Box) Branch(log func(string)) {
	b.mu.Lock()
	low := b.n < 0
	b.mu.Unlock()
	if low { // MISSED: escape: a branch has no position
		log("low")
	}
}

// Hits gives the caller what nobody can hold on to.
func (b *Box) Hits() int64 {
	return b.hits.Load() + 1 // want `escape: b\.hits was read`
}
