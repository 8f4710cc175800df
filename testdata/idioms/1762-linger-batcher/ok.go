// Package a groups metric points into batches for a remote-write endpoint.
package a

import (
	"errors"
	"sync"
	"time"
)

// ErrClosed is returned once the batcher has been closed.
var ErrClosed = errors.New("batcher closed")

// Point is a sample of a series. It carries its own time, and the endpoint
// takes points in any order.
type Point struct {
	Series string
	At     time.Time
	Value  float64
}

// Sender writes a batch to the endpoint. It is called concurrently.
type Sender interface {
	Send([]Point) error
}

// Batcher sends a batch when it is full, and no later than linger after its
// first point. A batch may be sent earlier than that.
type Batcher struct {
	sender  Sender
	size    int
	linger  time.Duration
	onError func(n int, err error)

	mu       sync.Mutex
	batch    []Point
	timer    *time.Timer
	closed   bool
	inflight sync.WaitGroup
}

// NewBatcher returns an empty batcher. onError hears of the batches that could
// not be sent.
func NewBatcher(s Sender, size int, linger time.Duration, onError func(int, error)) *Batcher {
	return &Batcher{sender: s, size: max(size, 1), linger: linger, onError: onError}
}

// Add puts a point into the current batch.
func (b *Batcher) Add(p Point) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return ErrClosed
	}
	b.batch = append(b.batch, p)
	if len(b.batch) == 1 {
		b.timer = time.AfterFunc(b.linger, b.onLinger)
	}
	var full []Point
	if len(b.batch) >= b.size {
		full = b.takeLocked()
	}
	b.mu.Unlock()

	b.send(full)
	return nil
}

// onLinger sends whatever has gathered. When the batch of this timer has gone
// already, the points of the next one merely leave early.
func (b *Batcher) onLinger() {
	b.mu.Lock()
	batch := b.takeLocked()
	b.mu.Unlock()
	b.send(batch)
}

// takeLocked removes the current batch. A batch that is not empty has to be
// passed to send.
func (b *Batcher) takeLocked() []Point {
	batch := b.batch
	if len(batch) == 0 {
		return nil
	}
	b.batch = nil
	b.timer.Stop()
	b.inflight.Add(1)
	return batch
}

func (b *Batcher) send(batch []Point) {
	if len(batch) == 0 {
		return
	}
	defer b.inflight.Done()
	if err := b.sender.Send(batch); err != nil {
		b.onError(len(batch), err)
	}
}

// Pending returns the number of points that have not been passed on.
func (b *Batcher) Pending() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.batch)
}

// Flush sends the current batch now.
func (b *Batcher) Flush() {
	b.mu.Lock()
	batch := b.takeLocked()
	b.mu.Unlock()
	b.send(batch)
}

// Close sends the rest and waits for the batches that are on their way.
func (b *Batcher) Close() {
	b.mu.Lock()
	b.closed = true
	batch := b.takeLocked()
	b.mu.Unlock()
	b.send(batch)
	b.inflight.Wait()
}
