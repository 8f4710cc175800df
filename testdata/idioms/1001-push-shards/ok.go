// Package pushq spreads push notifications over a fixed number of workers with
// bounded queues.
package pushq

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

var (
	ErrFull   = errors.New("pushq: all queues are full")
	ErrClosed = errors.New("pushq: closed")
)

// Notification is one message to one device.
type Notification struct {
	Device  string
	Payload []byte
}

type shard struct {
	limit int
	depth atomic.Int64 // len(items), for pick
	wake  chan struct{}

	mu     sync.Mutex
	items  []Notification
	closed bool
}

func (s *shard) push(n Notification) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if len(s.items) >= s.limit {
		return ErrFull
	}
	s.items = append(s.items, n)
	s.depth.Store(int64(len(s.items)))
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return nil
}

func (s *shard) pop() (Notification, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.items) == 0 {
		return Notification{}, false
	}
	n := s.items[0]
	s.items = s.items[1:]
	s.depth.Store(int64(len(s.items)))
	return n, true
}

func (s *shard) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Queue is safe for concurrent use.
type Queue struct {
	shards []*shard
	send   func(Notification)
	stop   chan struct{}
	once   sync.Once
	wg     sync.WaitGroup
}

// New starts the workers. Each has a queue of at most limit notifications.
func New(workers, limit int, send func(Notification)) *Queue {
	q := &Queue{send: send, stop: make(chan struct{})}
	for range max(workers, 1) {
		s := &shard{limit: max(limit, 1), wake: make(chan struct{}, 1)}
		q.shards = append(q.shards, s)
		q.wg.Go(func() { q.work(s) })
	}
	return q
}

// pick returns the shorter of two queues taken at random.
func (q *Queue) pick() int {
	a, b := rand.IntN(len(q.shards)), rand.IntN(len(q.shards))
	if q.shards[b].depth.Load() < q.shards[a].depth.Load() {
		return b
	}
	return a
}

// Enqueue puts a notification into one of the queues.
func (q *Queue) Enqueue(n Notification) error {
	first := q.pick()
	for i := range q.shards {
		err := q.shards[(first+i)%len(q.shards)].push(n)
		if !errors.Is(err, ErrFull) {
			return err
		}
	}
	return ErrFull
}

// Backlog returns about how many notifications are waiting.
func (q *Queue) Backlog() int64 {
	var n int64
	for _, s := range q.shards {
		n += s.depth.Load()
	}
	return n
}

func (q *Queue) work(s *shard) {
	for {
		stopping := false
		select {
		case <-s.wake:
		case <-q.stop:
			stopping = true
		}
		for s.depth.Load() > 0 {
			n, ok := s.pop()
			if !ok {
				break
			}
			q.send(n)
		}
		if stopping {
			return
		}
	}
}

// Close lets the workers send what is queued and waits for them.
func (q *Queue) Close() {
	q.once.Do(func() {
		for _, s := range q.shards {
			s.close()
		}
		close(q.stop)
	})
	q.wg.Wait()
}
