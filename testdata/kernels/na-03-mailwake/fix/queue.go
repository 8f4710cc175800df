// Package mailq is the outgoing mail queue: submitters enqueue, senders take
// messages one at a time, temporary failures come back after a delay.
package mailq

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// ErrClosed is returned by a queue that has been closed.
var ErrClosed = errors.New("mailq: closed")

// Message is one mail for one recipient.
type Message struct {
	ID       string
	To       string
	Body     []byte
	Attempts int
}

// Transport delivers a message to its MX.
type Transport interface {
	Deliver(ctx context.Context, m *Message) error
}

// Queue hands messages to senders in order of arrival.
type Queue struct {
	mu      sync.Mutex
	ready   []*Message
	waiters []chan struct{}
	closed  bool
}

// Enqueue makes m available to the senders.
func (q *Queue) Enqueue(m *Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.ready = append(q.ready, m)
	q.wakeLocked()
	return nil
}

func (q *Queue) wakeLocked() {
	if len(q.waiters) == 0 {
		return
	}
	w := q.waiters[0]
	q.waiters = q.waiters[1:]
	close(w)
}

// Next returns the oldest message, waiting for one if need be.
func (q *Queue) Next(ctx context.Context) (*Message, error) {
	for {
		m, w, err := q.popOrPark()
		if m != nil || err != nil {
			return m, err
		}
		select {
		case <-w:
		case <-ctx.Done():
			q.unpark(w)
			return nil, ctx.Err()
		}
	}
}

func (q *Queue) popOrPark() (*Message, chan struct{}, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.ready) > 0 {
		m := q.ready[0]
		q.ready = q.ready[1:]
		return m, nil, nil
	}
	if q.closed {
		return nil, nil, ErrClosed
	}
	w := make(chan struct{})
	q.waiters = append(q.waiters, w)
	return nil, w, nil
}

// unpark withdraws a waiter; a wake-up it has already been given goes to the
// next one.
func (q *Queue) unpark(w chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiters, w); i >= 0 {
		q.waiters = slices.Delete(q.waiters, i, i+1)
		return
	}
	if len(q.ready) > 0 {
		q.wakeLocked()
	}
}

// Close refuses further messages; senders drain what is left.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for len(q.waiters) > 0 {
		q.wakeLocked()
	}
}

// Serve runs n senders until ctx ends or the queue is closed and empty.
func Serve(ctx context.Context, q *Queue, t Transport, n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { send(ctx, q, t) })
	}
	wg.Wait()
}

func send(ctx context.Context, q *Queue, t Transport) {
	for {
		m, err := q.Next(ctx)
		if err != nil {
			return
		}
		if err := t.Deliver(ctx, m); err != nil {
			m.Attempts++
			slog.Warn("deferred", "id", m.ID, "attempts", m.Attempts, "err", err)
			time.AfterFunc(time.Minute<<min(m.Attempts, 6), func() { _ = q.Enqueue(m) })
		}
	}
}
