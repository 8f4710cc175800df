package drained

import "sync"

// A Box is sealed once for all, and counts no votes then.
type Box struct {
	mu     sync.Mutex
	sealed bool
	votes  map[string]int
	last   string // who has got a vote
}

func (b *Box) Cast(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sealed {
		return false
	}
	b.votes[name]++
	b.last = name
	return true
}

func (b *Box) Seal() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sealed = true
}

func (b *Box) Sealed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sealed
}

func (b *Box) Votes(name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.votes[name]
}

func (b *Box) setLast(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = name
}

// Publish finds what does not change any more.
func (b *Box) Publish(name string) {
	if !b.Sealed() {
		return
	}
	if b.Votes(name) == 0 {
		b.setLast("none")
	}
}

// PublishEarly may overwrite a name that has come since.
func (b *Box) PublishEarly(name string) {
	if b.Votes(name) == 0 {
		b.setLast("none") // want `b.votes\[name\] was checked`
	}
}
