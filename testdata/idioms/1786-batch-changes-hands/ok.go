// Package a ships samples to a remote store.
package a

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var ErrStopped = errors.New("remote: stopped")

// Sample is one measurement.
type Sample struct {
	Series string
	T      int64
	V      float64
}

// Client sends a batch, all or nothing.
type Client interface {
	Send(ctx context.Context, batch []Sample) error
}

// Queue buffers samples for the remote end. When it is full the oldest ones
// go first.
type Queue struct {
	client Client
	max    int

	sendMu sync.Mutex // one batch at a time, in order; taken before mu

	mu      sync.Mutex
	buf     []Sample
	stopped bool

	sent    atomic.Int64
	failed  atomic.Int64
	dropped atomic.Int64
}

// NewQueue buffers at most max samples.
func NewQueue(c Client, max int) *Queue { return &Queue{client: c, max: max} }

// Add buffers samples.
func (q *Queue) Add(samples ...Sample) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped {
		return ErrStopped
	}
	q.buf = append(q.buf, samples...)
	q.trim()
	return nil
}

// trim drops what is too much; the lock is held.
func (q *Queue) trim() {
	if n := len(q.buf) - q.max; n > 0 {
		q.dropped.Add(int64(n))
		q.buf = append([]Sample(nil), q.buf[n:]...)
	}
}

// Flush sends what is buffered.
func (q *Queue) Flush(ctx context.Context) error {
	q.sendMu.Lock()
	defer q.sendMu.Unlock()

	q.mu.Lock()
	batch := q.buf
	q.buf = nil
	q.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}

	if err := q.client.Send(ctx, batch); err != nil {
		q.failed.Add(1)
		q.mu.Lock()
		q.buf = append(batch, q.buf...)
		q.trim()
		q.mu.Unlock()
		return fmt.Errorf("remote: batch of %d: %w", len(batch), err)
	}
	q.sent.Add(int64(len(batch)))
	return nil
}

// Run flushes until the context ends.
func (q *Queue) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := q.Flush(ctx); err != nil {
				log.Printf("remote: %v, %d waiting", err, q.Len())
			}
		}
	}
}

// Stop refuses new samples and sends the rest.
func (q *Queue) Stop(ctx context.Context) error {
	q.mu.Lock()
	q.stopped = true
	q.mu.Unlock()
	return q.Flush(ctx)
}

// Len is the number of samples that wait.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.buf)
}

// Stats returns the counters.
func (q *Queue) Stats() (sent, failed, dropped int64) {
	return q.sent.Load(), q.failed.Load(), q.dropped.Load()
}
