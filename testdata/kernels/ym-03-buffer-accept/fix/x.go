// Package fix is the output side of a metrics agent: a bounded buffer that
// drops its oldest entries, and a flusher.
package fix

import (
	"context"
	"slices"
	"sync"
	"time"
)

type Metric struct {
	Name  string
	Value float64
	Time  time.Time
}

// Writer sends metrics on; seq is the number of the first one, for the log.
type Writer interface {
	Write(ctx context.Context, seq uint64, ms []Metric) error
}

type Batch struct {
	First   uint64
	Metrics []Metric
}

// Stats counts as dropped all that overflowed, even what a flush had in hand.
type Stats struct {
	Queued  int
	Dropped uint64
	Sent    uint64
}

type Buffer struct {
	mu      sync.Mutex
	items   []Metric
	first   uint64 // number of items[0]
	limit   int
	dropped uint64
	sent    uint64
}

func NewBuffer(limit int) *Buffer { return &Buffer{limit: limit} }

// Add is called by all inputs. A full buffer loses its oldest entries.
func (b *Buffer) Add(ms ...Metric) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = append(b.items, ms...)
	if over := len(b.items) - b.limit; over > 0 {
		b.cut(over)
		b.dropped += uint64(over)
	}
}

func (b *Buffer) cut(n int) {
	b.items = slices.Delete(b.items, 0, n)
	b.first += uint64(n)
}

// Batch returns a copy of up to n of the oldest entries. They stay in the
// buffer until they are accepted.
func (b *Buffer) Batch(n int) Batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, len(b.items))
	return Batch{First: b.first, Metrics: slices.Clone(b.items[:n])}
}

// Accept takes the entries of a batch that was written out of the buffer.
func (b *Buffer) Accept(batch Batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if end := batch.First + uint64(len(batch.Metrics)); end > b.first {
		b.cut(int(end - b.first))
	}
	b.sent += uint64(len(batch.Metrics))
}

func (b *Buffer) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Stats{Queued: len(b.items), Dropped: b.dropped, Sent: b.sent}
}

type Output struct {
	buf  *Buffer
	w    Writer
	size int

	flushing sync.Mutex
}

func NewOutput(w Writer, limit, size int) *Output {
	return &Output{buf: NewBuffer(limit), w: w, size: size}
}

func (o *Output) Add(ms ...Metric) { o.buf.Add(ms...) }
func (o *Output) Stats() Stats     { return o.buf.Stats() }

// Flush writes all that is buffered. One flush runs at a time.
func (o *Output) Flush(ctx context.Context) error {
	o.flushing.Lock()
	defer o.flushing.Unlock()
	for {
		batch := o.buf.Batch(o.size)
		if len(batch.Metrics) == 0 {
			return nil
		}
		if err := o.w.Write(ctx, batch.First, batch.Metrics); err != nil {
			return err
		}
		o.buf.Accept(batch)
	}
}

// Run flushes at each tick until the context ends.
func (o *Output) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = o.Flush(ctx) // tried again at the next tick
		case <-ctx.Done():
			return
		}
	}
}
