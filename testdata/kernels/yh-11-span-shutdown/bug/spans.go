// Package spans batches finished trace spans and hands them to an exporter.
package spans

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"
)

// ErrStopped is returned for spans that end after Shutdown.
var ErrStopped = errors.New("spans: processor stopped")

// Span is one finished span.
type Span struct {
	Trace, Name string
	Start, End  time.Time
}

// Exporter sends a batch to the collector.
type Exporter interface {
	Export(ctx context.Context, batch []Span) error
}

// batcher groups items by number and age. Items that do not fit are dropped,
// so that the instrumented code is never held up.
type batcher[T any] struct {
	in      chan T
	size    int
	every   time.Duration
	flush   func([]T)
	dropped atomic.Int64
	done    chan struct{}
}

func newBatcher[T any](depth, size int, every time.Duration, flush func([]T)) *batcher[T] {
	b := &batcher[T]{
		in:    make(chan T, depth),
		size:  max(size, 1),
		every: every,
		flush: flush,
		done:  make(chan struct{}),
	}
	go b.run()
	return b
}

func (b *batcher[T]) offer(v T) {
	select {
	case b.in <- v:
	default:
		b.dropped.Add(1)
	}
}

// finish lets the batcher flush what it has and end.
func (b *batcher[T]) finish() { close(b.in) }

func (b *batcher[T]) run() {
	defer close(b.done)
	tick := time.NewTicker(b.every)
	defer tick.Stop()
	var batch []T
	emit := func() {
		if len(batch) > 0 {
			b.flush(batch)
			batch = nil
		}
	}
	for {
		select {
		case v, ok := <-b.in:
			if !ok {
				emit()
				return
			}
			if batch = append(batch, v); len(batch) >= b.size {
				emit()
			}
		case <-tick.C:
			emit()
		}
	}
}

// Processor receives spans from all goroutines of the program.
type Processor struct {
	exporter Exporter
	timeout  time.Duration
	batch    *batcher[Span]
	stopped  atomic.Bool
}

// NewProcessor returns a running processor.
func NewProcessor(e Exporter, depth, size int, every, timeout time.Duration) *Processor {
	p := &Processor{exporter: e, timeout: timeout}
	p.batch = newBatcher(depth, size, every, p.export)
	return p
}

func (p *Processor) export(batch []Span) {
	ctx, cancel := context.WithTimeout(context.Background(), p.timeout)
	defer cancel()
	if err := p.exporter.Export(ctx, batch); err != nil {
		slog.Warn("spans: export failed", "spans", len(batch), "err", err)
	}
}

// OnEnd takes a finished span.
func (p *Processor) OnEnd(s Span) error {
	if p.stopped.Load() {
		return ErrStopped
	}
	p.batch.offer(s)
	return nil
}

// Dropped returns the number of spans that did not fit.
func (p *Processor) Dropped() int64 { return p.batch.dropped.Load() }

// Shutdown exports the remaining spans. Further calls wait like the first.
func (p *Processor) Shutdown(ctx context.Context) error {
	if p.stopped.CompareAndSwap(false, true) {
		p.batch.finish()
	}
	select {
	case <-p.batch.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
