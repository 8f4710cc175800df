package a

import (
	"context"
	"slices"
	"sync"
)

// Event is a change in the order book.
type Event struct {
	Symbol string
	Price  int64
}

// Listener receives events. Its data channel is never closed, the end of
// the subscription is told by Done.
type Listener struct {
	ch   chan Event
	done chan struct{}
	once sync.Once
}

// C delivers the events. One that was under way may still arrive after Done.
func (l *Listener) C() <-chan Event { return l.ch }

// Done is closed when the subscription has ended.
func (l *Listener) Done() <-chan struct{} { return l.done }

// end tells receiver and publishers that the subscription is over.
func (l *Listener) end() { l.once.Do(func() { close(l.done) }) }

// Feed delivers each event to all of its listeners, waiting for slow ones.
type Feed struct {
	mu        sync.Mutex
	listeners []*Listener
	closed    bool
}

// Listen subscribes. On a closed feed the subscription has ended already.
func (f *Feed) Listen(depth int) *Listener {
	l := &Listener{ch: make(chan Event, depth), done: make(chan struct{})}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		l.end()
		return l
	}
	f.listeners = append(f.listeners, l)
	return l
}

// Unlisten ends a subscription. It may be called more than once.
func (f *Feed) Unlisten(l *Listener) {
	f.mu.Lock()
	if i := slices.Index(f.listeners, l); i >= 0 {
		f.listeners = slices.Delete(f.listeners, i, i+1)
	}
	f.mu.Unlock()
	l.end()
}

// snapshot copies the list of listeners.
func (f *Feed) snapshot() []*Listener {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.listeners)
}

// Publish delivers an event to those who listen now. A listener that leaves
// meanwhile is passed over. The lock is not held, as this can block.
func (f *Feed) Publish(ctx context.Context, ev Event) error {
	for _, l := range f.snapshot() {
		select {
		case l.ch <- ev:
		case <-l.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Close ends all subscriptions.
func (f *Feed) Close() {
	f.mu.Lock()
	f.closed = true
	left := f.listeners
	f.listeners = nil
	f.mu.Unlock()
	for _, l := range left {
		l.end()
	}
}

// Len counts the listeners.
func (f *Feed) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.listeners)
}
