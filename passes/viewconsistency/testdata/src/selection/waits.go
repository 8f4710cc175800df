package selection

import "sync"

// A Bulletin has a number of notes, and a channel that is closed when there is a new one.
type Bulletin struct {
	mu      sync.Mutex
	notes   int
	changed chan struct{}
	closed  chan struct{}
}

func (b *Bulletin) Post() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes++
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *Bulletin) has(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.notes >= n
}

func (b *Bulletin) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// Await may fetch the channel of the note after the one that it waits for.
func (b *Bulletin) Await(n int) {
	for !b.has(n) {
		<-b.next() // want `split-read: b.notes at line \d+ and b.changed here are read apart.* the wait at line \d+ misses the change`
	}
}

// AwaitOr does so in a select statement.
func (b *Bulletin) AwaitOr(n int) bool {
	for {
		if b.has(n) {
			return true
		}
		select {
		case <-b.next(): // want `split-read: b.notes at line \d+ and b.changed here are read apart.* misses the change`
		case <-b.closed:
			return false
		}
	}
}

// AwaitFirst fetches the channel first.
func (b *Bulletin) AwaitFirst(n int) {
	for {
		changed := b.next()
		if b.has(n) {
			return
		}
		<-changed
	}
}

// Poll does not wait: it looks whether there is a change at this moment.
func (b *Bulletin) Poll(n int) bool {
	if b.has(n) {
		return true
	}
	select {
	case <-b.next():
		return true
	default:
		return false
	}
}
