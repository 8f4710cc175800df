// Package spans ships trace spans in batches.
package spans

import (
	"errors"
	"log"
	"sync"
	"time"
)

// ErrClosed is returned by Add after Close.
var ErrClosed = errors.New("spans: batcher is closed")

// Span is one finished span.
type Span struct {
	Name  string
	Start time.Time
	Took  time.Duration
}

// Sender transmits one batch.
type Sender func([]Span) error

// Batcher collects spans and sends them every interval.
type Batcher struct {
	send     Sender
	interval time.Duration
	stop     chan struct{}
	done     chan struct{}
	once     sync.Once

	mu      sync.Mutex
	closed  bool
	pending []Span
}

// Start returns a running batcher.
func Start(send Sender, interval time.Duration) *Batcher {
	b := &Batcher{
		send:     send,
		interval: interval,
		stop:     make(chan struct{}),
		done:     make(chan struct{}),
	}
	go b.loop()
	return b
}

// Add queues a span.
func (b *Batcher) Add(s Span) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrClosed
	}
	b.pending = append(b.pending, s)
	return nil
}

// Pending returns the number of spans not yet sent.
func (b *Batcher) Pending() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.pending)
}

func (b *Batcher) take() []Span {
	b.mu.Lock()
	defer b.mu.Unlock()
	batch := b.pending
	b.pending = nil
	return batch
}

func (b *Batcher) putBack(batch []Span) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending = append(batch, b.pending...)
}

func (b *Batcher) loop() {
	defer close(b.done)
	t := time.NewTicker(b.interval)
	defer t.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-t.C:
			b.flush()
		}
	}
}

func (b *Batcher) flush() {
	batch := b.take()
	if len(batch) == 0 {
		return
	}
	if err := b.send(batch); err != nil {
		log.Printf("spans: %v", err)
		b.putBack(batch)
	}
}

// Close refuses further spans and sends what is left in one last attempt.
// It returns the number of spans that were lost.
func (b *Batcher) Close() (lost int) {
	b.once.Do(func() {
		b.mu.Lock()
		b.closed = true
		b.mu.Unlock()
		close(b.stop)
		<-b.done

		n := b.Pending()
		if n == 0 {
			return
		}
		if err := b.send(b.take()); err != nil {
			log.Printf("spans: last batch: %v", err)
			lost = n
		}
	})
	return lost
}
