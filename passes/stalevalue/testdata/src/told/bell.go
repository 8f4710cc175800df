package told

import "sync"

// A Bell is rung at each change: those who wait for it get the channel that is closed next.
type Bell struct {
	mu sync.Mutex
	ch chan struct{}
}

func (b *Bell) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ch
}

func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.ch)
	b.ch = make(chan struct{})
}

type journal struct {
	mu   sync.Mutex
	last int
}

func (j *journal) Last() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

func (j *journal) append() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
}

// A Ledger rings when its journal has grown.
type Ledger struct {
	journal *journal
	bell    *Bell
}

func (l *Ledger) Append() {
	l.journal.append()
	l.bell.Ring()
}

// Await looks before it has the channel.
func (l *Ledger) Await(n int, quit <-chan struct{}) bool {
	for l.journal.Last() < n {
		select {
		case <-l.bell.Next(): // want `stale-use: l.journal.last was checked at line \d+ before l.bell.ch is fetched here to wait for it; \(\*Ledger\).Append \(bell.go:\d+\), which writes the one and then closes and replaces the other, may run in between and be missed`
		case <-quit:
			return false
		}
	}
	return true
}

// AwaitFirst has the channel before it looks.
func (l *Ledger) AwaitFirst(n int, quit <-chan struct{}) bool {
	for {
		next := l.bell.Next()
		if l.journal.Last() >= n {
			return true
		}
		select {
		case <-next:
		case <-quit:
			return false
		}
	}
}

// AwaitAgain looks once more before it waits.
func (l *Ledger) AwaitAgain(n int) {
	for l.journal.Last() < n {
		next := l.bell.Next()
		if l.journal.Last() < n {
			<-next
		}
	}
}
