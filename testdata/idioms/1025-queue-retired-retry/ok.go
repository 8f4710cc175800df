// Package topics keeps one queue per topic. Queues of idle topics are retired.
package topics

import (
	"sync"
	"time"
)

type queue struct {
	mu      sync.Mutex
	items   [][]byte
	last    time.Time
	retired bool
}

// push reports false if the queue is not in use any more.
func (q *queue) push(item []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.retired {
		return false
	}
	q.items = append(q.items, item)
	q.last = time.Now()
	return true
}

func (q *queue) pop(max int) [][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(max, len(q.items))
	out := append([][]byte(nil), q.items[:n]...)
	q.items = append([][]byte(nil), q.items[n:]...)
	q.last = time.Now()
	return out
}

// retireIfIdle retires an empty queue that was not used since the given time.
func (q *queue) retireIfIdle(since time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) > 0 || q.last.After(since) {
		return false
	}
	q.retired = true
	return true
}

// Hub finds the queue of a topic.
type Hub struct {
	idle time.Duration
	stop chan struct{}

	mu     sync.RWMutex
	queues map[string]*queue // mu is locked before the queues' own locks
}

// NewHub starts the janitor; Close ends it.
func NewHub(idle time.Duration) *Hub {
	h := &Hub{idle: idle, stop: make(chan struct{}), queues: make(map[string]*queue)}
	go h.janitor()
	return h
}

// Close must be called once.
func (h *Hub) Close() { close(h.stop) }

func (h *Hub) lookup(topic string) *queue {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.queues[topic]
}

func (h *Hub) getOrCreate(topic string) *queue {
	if q := h.lookup(topic); q != nil {
		return q
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	q := h.queues[topic]
	if q == nil {
		q = &queue{last: time.Now()}
		h.queues[topic] = q
	}
	return q
}

// Publish adds an item to a topic.
func (h *Hub) Publish(topic string, item []byte) {
	for !h.getOrCreate(topic).push(item) {
		// Retired after we found it; the next one is new.
	}
}

// Fetch takes up to max items.
func (h *Hub) Fetch(topic string, max int) [][]byte {
	q := h.lookup(topic)
	if q == nil {
		return nil
	}
	return q.pop(max)
}

func (h *Hub) janitor() {
	t := time.NewTicker(h.idle)
	defer t.Stop()
	for {
		select {
		case <-h.stop:
			return
		case now := <-t.C:
			h.retireIdle(now.Add(-h.idle))
		}
	}
}

func (h *Hub) retireIdle(since time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for topic, q := range h.queues {
		if q.retireIfIdle(since) {
			delete(h.queues, topic)
		}
	}
}
