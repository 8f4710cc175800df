// Package ok passes items between the goroutines of a server.
package ok

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrFull is returned when the queue holds its maximum.
var ErrFull = errors.New("queue limit reached")

const maxRecycle = 4 * 1024

// Queue is taken over by the consumer as a whole.
type Queue[T any] struct {
	inProgress atomic.Int64
	ch         chan struct{}
	max        int
	pool       sync.Pool

	mu   sync.Mutex
	elts []T
}

// NewQueue returns a queue for max items.
func NewQueue[T any](max int) *Queue[T] {
	return &Queue[T]{ch: make(chan struct{}, 1), max: max}
}

// Push adds an item and returns the length.
func (q *Queue[T]) Push(e T) (int, error) {
	q.mu.Lock()
	l := len(q.elts)
	if l == q.max {
		q.mu.Unlock()
		return l, ErrFull
	}
	if q.elts == nil {
		if s, ok := q.pool.Get().(*[]T); ok {
			q.elts = *s
		}
	}
	q.elts = append(q.elts, e)
	q.mu.Unlock()

	// Only the first item needs a signal, and one is enough.
	if l == 0 {
		select {
		case q.ch <- struct{}{}:
		default:
		}
	}
	return l + 1, nil
}

// Ready receives a value when there may be something to pop.
func (q *Queue[T]) Ready() <-chan struct{} { return q.ch }

// Pop takes all items, which may be none. They must be given to Recycle.
func (q *Queue[T]) Pop() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.elts) == 0 {
		return nil
	}
	elts := q.elts
	q.elts = nil
	q.inProgress.Add(int64(len(elts)))
	return elts
}

// Recycle gives a slice back that Pop has returned.
func (q *Queue[T]) Recycle(elts []T) {
	if elts == nil {
		return
	}
	q.inProgress.Add(-int64(len(elts)))
	if cap(elts) > maxRecycle {
		return
	}
	clear(elts)
	elts = elts[:0]
	q.pool.Put(&elts)
}

// Len returns the number of items that wait.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.elts)
}

// InProgress returns the number of items that are being processed.
func (q *Queue[T]) InProgress() int64 { return q.inProgress.Load() }

// Stats is what monitoring shows.
type Stats struct {
	Pending    int
	InProgress int64
}

// Pipeline applies messages with several workers.
type Pipeline struct {
	queue *Queue[[]byte]
	quit  chan struct{}
	wg    sync.WaitGroup
}

// Start runs workers that apply messages.
func Start(workers int, apply func([]byte)) *Pipeline {
	p := &Pipeline{queue: NewQueue[[]byte](100_000), quit: make(chan struct{})}
	for range workers {
		p.wg.Add(1)
		go p.work(apply)
	}
	return p
}

func (p *Pipeline) work(apply func([]byte)) {
	defer p.wg.Done()
	for {
		select {
		case <-p.queue.Ready():
			msgs := p.queue.Pop()
			for _, m := range msgs {
				apply(m)
			}
			p.queue.Recycle(msgs)
		case <-p.quit:
			return
		}
	}
}

// Submit queues a message.
func (p *Pipeline) Submit(msg []byte) error {
	_, err := p.queue.Push(msg)
	return err
}

// Stats returns a snapshot for monitoring.
func (p *Pipeline) Stats() Stats {
	return Stats{Pending: p.queue.Len(), InProgress: p.queue.InProgress()}
}

// Stop ends the workers; what is still queued is dropped.
func (p *Pipeline) Stop() {
	close(p.quit)
	p.wg.Wait()
}
