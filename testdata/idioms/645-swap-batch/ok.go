// Package outbox batches records for a broker.
package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Record to be sent.
type Record struct {
	Topic string
	Body  []byte
}

// Transport sends batches.
type Transport interface {
	SendBatch(ctx context.Context, batch []Record) error
}

// Outbox collects records and sends them by size or time.
type Outbox struct {
	tr   Transport
	size int
	full chan struct{}

	flushing sync.Mutex // orders the batches

	mu      sync.Mutex
	pending []Record
}

// New returns an outbox that sends about size records at once.
func New(tr Transport, size int) *Outbox {
	return &Outbox{tr: tr, size: size, full: make(chan struct{}, 1)}
}

// Add queues a record.
func (o *Outbox) Add(r Record) {
	o.mu.Lock()
	o.pending = append(o.pending, r)
	n := len(o.pending)
	o.mu.Unlock()
	if n >= o.size {
		select {
		case o.full <- struct{}{}:
		default:
		}
	}
}

// take empties the outbox and returns what was in it.
func (o *Outbox) take() []Record {
	o.mu.Lock()
	defer o.mu.Unlock()
	batch := o.pending
	o.pending = nil
	return batch
}

// putBack returns records that could not be sent.
func (o *Outbox) putBack(batch []Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending = append(batch, o.pending...)
}

// Flush sends what is queued.
func (o *Outbox) Flush(ctx context.Context) error {
	o.flushing.Lock()
	defer o.flushing.Unlock()
	batch := o.take()
	for len(batch) > 0 {
		n := min(len(batch), o.size)
		if err := o.tr.SendBatch(ctx, batch[:n]); err != nil {
			o.putBack(batch)
			return fmt.Errorf("outbox: %d records kept: %w", len(batch), err)
		}
		batch = batch[n:]
	}
	return nil
}

// Len returns the number of queued records.
func (o *Outbox) Len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pending)
}

// Run flushes until ctx ends, and then once more.
func (o *Outbox) Run(ctx context.Context, linger time.Duration) error {
	tick := time.NewTicker(linger)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			return o.Flush(last)
		case <-tick.C:
			if o.Len() == 0 {
				continue
			}
		case <-o.full:
		}
		if err := o.Flush(ctx); err != nil {
			slog.Warn("flush", "err", err)
		}
	}
}
