package handoff

import (
	"context"
	"sync"
)

// A Mailbox has a channel for each reader that waits.
type Mailbox struct {
	mu      sync.Mutex
	msgs    []string
	waiters map[chan struct{}]bool
}

func (b *Mailbox) Put(m string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.msgs = append(b.msgs, m)
	for w := range b.waiters {
		close(w)
	}
	clear(b.waiters)
}

func (b *Mailbox) since(n int) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.msgs[min(n, len(b.msgs)):]
}

func (b *Mailbox) watch() chan struct{} {
	w := make(chan struct{})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiters[w] = true
	return w
}

func (b *Mailbox) unwatch(w chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiters, w)
}

// Poll takes its own channel out, whatever has come meanwhile.
func (b *Mailbox) Poll(ctx context.Context, n int) []string {
	for {
		w := b.watch()
		if got := b.since(n); len(got) > 0 {
			b.unwatch(w)
			return got
		}
		select {
		case <-w:
		case <-ctx.Done():
			b.unwatch(w)
			return nil
		}
	}
}

// PollLate asks before it waits for what comes.
func (b *Mailbox) PollLate(n int) []string {
	for {
		if got := b.since(n); len(got) > 0 {
			return got
		}
		<-b.watch() // want `check-then-act: b\.msgs.* was checked at line 65`
	}
}

// PollOf takes a channel out of which nobody knows who has made it.
func (b *Mailbox) PollOf(next func() chan struct{}) {
	w := next()
	if len(b.since(0)) > 0 {
		b.unwatch(w) // want `check-then-act: b\.msgs.* was checked`
	}
}
