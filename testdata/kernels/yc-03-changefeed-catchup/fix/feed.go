// Package changefeed distributes the configuration changes of a service to
// its subscribers, who resume at the sequence number they have seen last.
package changefeed

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned by Next after the subscription has been closed.
var ErrClosed = errors.New("changefeed: subscription closed")

// Feed is the entry point for publishers and subscribers. All methods are safe
// for concurrent use. A subscriber receives every change after the position it
// names, in order and without gaps.
type Feed struct {
	publishing sync.Mutex // keeps the order of the log and of the deliveries equal
	log        *Log
	hub        *Hub
}

// New returns a feed that retains up to retain changes for late subscribers.
func New(retain int) *Feed {
	return &Feed{
		log: &Log{retain: retain, next: 1},
		hub: &Hub{subs: make(map[*Subscription]struct{})},
	}
}

// Publish records a change and delivers it. It returns the change's sequence number.
func (f *Feed) Publish(key string, value []byte) uint64 {
	f.publishing.Lock()
	defer f.publishing.Unlock()
	c := f.log.append(key, value)
	f.hub.broadcast(c)
	return c.Seq
}

// Subscribe returns a subscription that starts with the first change after
// the given sequence number. It fails with ErrTrimmed when that change is no
// longer retained; the subscriber then has to fetch the full configuration.
func (f *Feed) Subscribe(after uint64) (*Subscription, error) {
	f.publishing.Lock()
	defer f.publishing.Unlock()
	backlog, err := f.log.since(after)
	if err != nil {
		return nil, err
	}
	sub := newSubscription(f.hub, backlog)
	f.hub.add(sub)
	return sub, nil
}

// Subscribers returns the number of open subscriptions.
func (f *Feed) Subscribers() int { return f.hub.count() }

// Hub knows the open subscriptions.
type Hub struct {
	mu   sync.Mutex
	subs map[*Subscription]struct{}
}

func (h *Hub) add(s *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs[s] = struct{}{}
}

func (h *Hub) remove(s *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subs, s)
}

func (h *Hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.subs)
}

func (h *Hub) broadcast(c Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		s.push(c)
	}
}

// Subscription is the queue of changes of one subscriber.
type Subscription struct {
	hub  *Hub
	wake chan struct{}
	done chan struct{}
	once sync.Once

	mu    sync.Mutex
	queue []Change
}

func newSubscription(h *Hub, backlog []Change) *Subscription {
	return &Subscription{
		hub:   h,
		wake:  make(chan struct{}, 1),
		done:  make(chan struct{}),
		queue: backlog,
	}
}

// Next returns the next change. It blocks until there is one, the context
// ends or the subscription is closed.
func (s *Subscription) Next(ctx context.Context) (Change, error) {
	for {
		if c, ok := s.pop(); ok {
			return c, nil
		}
		select {
		case <-s.wake:
		case <-s.done:
			return Change{}, ErrClosed
		case <-ctx.Done():
			return Change{}, ctx.Err()
		}
	}
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.once.Do(func() {
		s.hub.remove(s)
		close(s.done)
	})
}

func (s *Subscription) push(c Change) {
	s.mu.Lock()
	s.queue = append(s.queue, c)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// pop takes the oldest queued change. It leaves a wake-up behind when more are
// queued, for another goroutine that reads the same subscription.
func (s *Subscription) pop() (Change, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return Change{}, false
	}
	c := s.queue[0]
	s.queue = s.queue[1:]
	if len(s.queue) > 0 {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
	return c, true
}
