// Package fix multiplexes subscriptions of one client over a hub.
package fix

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrUnknown is returned for an id that is not subscribed.
var ErrUnknown = errors.New("subscription does not exist")

// Change is what subscribers receive.
type Change struct {
	Sub int64
	Rev int64
	Key string
}

type sub struct {
	id   int64
	key  string
	rev  int64
	held bool
	out  chan<- Change
}

// Hub delivers changes; a subscriber that is slow misses some.
type Hub struct {
	mu      sync.Mutex
	rev     int64
	ready   map[*sub]struct{}
	lagging map[*sub]struct{}
	held    []*sub
	active  atomic.Int64
}

// NewHub returns a hub without subscribers.
func NewHub() *Hub {
	return &Hub{ready: make(map[*sub]struct{}), lagging: make(map[*sub]struct{})}
}

// Active returns the number of subscriptions.
func (h *Hub) Active() int64 { return h.active.Load() }

// Rev returns the newest revision.
func (h *Hub) Rev() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rev
}

// Notify delivers a change; who cannot take it is retried later.
func (h *Hub) Notify(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rev++
	for s := range h.ready {
		if s.key != key {
			continue
		}
		select {
		case s.out <- Change{s.id, h.rev, key}:
			s.rev = h.rev
		default:
			delete(h.ready, s)
			s.held = true
			h.held = append(h.held, s)
		}
	}
}

// Retry delivers to those that could not take a change.
func (h *Hub) Retry() {
	h.mu.Lock()
	work := h.held
	h.held = nil
	h.mu.Unlock()

	for _, s := range work {
		select {
		case s.out <- Change{Sub: s.id, Key: s.key}:
		default:
		}
	}

	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range work {
		s.held = false
		h.lagging[s] = struct{}{}
	}
}

// Sync moves those that lag behind back to the ready ones.
func (h *Hub) Sync() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.lagging {
		s.rev = h.rev
		delete(h.lagging, s)
		h.ready[s] = struct{}{}
	}
}

func (h *Hub) subscribe(id int64, key string, out chan<- Change) (*sub, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &sub{id: id, key: key, rev: h.rev, out: out}
	h.ready[s] = struct{}{}
	h.active.Add(1)
	return s, func() { h.unsubscribe(s) }
}

func (h *Hub) unsubscribe(s *sub) {
	for {
		h.mu.Lock()
		if _, ok := h.ready[s]; ok {
			delete(h.ready, s)
			break
		}
		if _, ok := h.lagging[s]; ok {
			delete(h.lagging, s)
			break
		}
		found := false
		for i, o := range h.held {
			if o == s {
				h.held = append(h.held[:i:i], h.held[i+1:]...)
				found = true
				break
			}
		}
		if found {
			break
		}
		h.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	h.active.Add(-1)
	h.mu.Unlock()
}

// Stream has the subscriptions of one client.
type Stream struct {
	hub  *Hub
	out  chan Change
	done chan struct{}

	mu      sync.Mutex
	closed  bool
	next    int64
	cancels map[int64]func()
	subs    map[int64]*sub
}

// NewStream returns a stream without subscriptions.
func NewStream(h *Hub) *Stream {
	return &Stream{
		hub:     h,
		out:     make(chan Change, 128),
		done:    make(chan struct{}),
		cancels: make(map[int64]func()),
		subs:    make(map[int64]*sub),
	}
}

// Subscribe adds a subscription.
func (t *Stream) Subscribe(key string) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return -1
	}
	id := t.next
	t.next++
	s, c := t.hub.subscribe(id, key, t.out)
	t.cancels[id] = c
	t.subs[id] = s
	return id
}

// Chan returns the channel of the changes and one that is closed at the end.
func (t *Stream) Chan() (<-chan Change, <-chan struct{}) { return t.out, t.done }

// Cancel ends one subscription.
func (t *Stream) Cancel(id int64) error {
	t.mu.Lock()
	cancel, ok := t.cancels[id]
	ok = ok && !t.closed
	if ok {
		delete(t.cancels, id)
		delete(t.subs, id)
	}
	t.mu.Unlock()
	if !ok {
		return ErrUnknown
	}
	cancel()
	return nil
}

// Key returns the key of a subscription.
func (t *Stream) Key(id int64) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.subs[id]
	if !ok {
		return "", false
	}
	return s.key, true
}

// Close ends all subscriptions.
func (t *Stream) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	for _, cancel := range t.cancels {
		cancel()
	}
	t.closed = true
	close(t.done)
}
