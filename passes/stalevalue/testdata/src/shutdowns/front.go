package shutdowns

import (
	"io"
	"sync"
)

// A Front has no table any more when it has been shut.
type Front struct {
	quit  chan struct{}
	once  sync.Once
	mu    sync.Mutex
	conns map[io.Closer]bool
	calls map[io.Closer]bool
}

// NewFront makes the tables.
func NewFront() *Front {
	return &Front{quit: make(chan struct{}), conns: make(map[io.Closer]bool), calls: make(map[io.Closer]bool)}
}

// Admit is refused by add if Shut has taken the table away, which otherwise sees what is added.
func (f *Front) Admit(c io.Closer) bool {
	select {
	case <-f.quit:
		return false
	default:
	}
	return f.add(c)
}

func (f *Front) add(c io.Closer) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conns == nil {
		return false
	}
	f.conns[c] = true
	return true
}

// Call makes a new table after Shut has taken the old one away.
func (f *Front) Call(c io.Closer) bool {
	select {
	case <-f.quit:
		return false
	default:
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = make(map[io.Closer]bool) // want `check-then-act: f.quit.closed was checked at line \d+, but the atomic operations are separate and another goroutine may change it before this write of f.calls`
	}
	f.calls[c] = true
	return true
}

// Shut ends all that is in the tables.
func (f *Front) Shut() {
	f.once.Do(func() { close(f.quit) })
	f.mu.Lock()
	conns, calls := f.conns, f.calls
	f.conns, f.calls = nil, nil
	f.mu.Unlock()
	for c := range conns {
		c.Close()
	}
	for c := range calls {
		c.Close()
	}
}
