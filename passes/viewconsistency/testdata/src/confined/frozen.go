package confined

import "sync"

// A Box is sealed once for all, and counts no votes then.
type Box struct {
	mu     sync.Mutex
	sealed bool
	votes  int
	spoilt int
}

func (b *Box) Cast(valid bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sealed {
		return
	}
	if b.votes++; !valid {
		b.spoilt++
	}
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

func (b *Box) all() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.votes
}

func (b *Box) bad() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spoilt
}

// Share finds what does not change any more.
func (b *Box) Share() int {
	if !b.Sealed() {
		return 0
	}
	return 100 * b.bad() / b.all()
}

// ShareEarly may have a spoilt vote that it has not counted.
func (b *Box) ShareEarly() int {
	return 100 * b.bad() / b.all() // want `split-read: b.spoilt at line 58 and b.votes here are read apart`
}
