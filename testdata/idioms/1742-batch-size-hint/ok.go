package a

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// span is a finished operation, ready for export.
type span struct {
	traceID string
	name    string
}

type exporter interface {
	Export(ctx context.Context, batch []span) error
}

// batchProcessor collects spans and exports them in batches. size follows the
// length of the queue and is only a hint for when to wake the exporter; what
// is taken is decided under mu.
type batchProcessor struct {
	exp      exporter
	maxBatch int
	maxQueue int
	interval time.Duration

	size    atomic.Int64
	dropped atomic.Uint64
	wake    chan struct{}
	stop    chan struct{}
	done    chan struct{}

	exportMu sync.Mutex // one flush at a time

	mu      sync.Mutex
	queue   []span
	stopped bool
}

func newBatchProcessor(exp exporter, maxBatch, maxQueue int, interval time.Duration) *batchProcessor {
	p := &batchProcessor{
		exp:      exp,
		maxBatch: maxBatch,
		maxQueue: maxQueue,
		interval: interval,
		wake:     make(chan struct{}, 1),
		stop:     make(chan struct{}),
		done:     make(chan struct{}),
	}
	go p.run()
	return p
}

// OnEnd takes a span in, or drops it when the queue is full.
func (p *batchProcessor) OnEnd(s span) {
	if !p.enqueue(s) {
		p.dropped.Add(1)
		return
	}
	if p.size.Load() >= int64(p.maxBatch) {
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
}

func (p *batchProcessor) enqueue(s span) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || len(p.queue) >= p.maxQueue {
		return false
	}
	p.queue = append(p.queue, s)
	p.size.Store(int64(len(p.queue)))
	return true
}

// take removes up to one batch.
func (p *batchProcessor) take() []span {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(len(p.queue), p.maxBatch)
	batch := p.queue[:n:n]
	p.queue = p.queue[n:]
	p.size.Store(int64(len(p.queue)))
	return batch
}

// flush exports what is there, one batch after the other.
func (p *batchProcessor) flush(ctx context.Context) {
	p.exportMu.Lock()
	defer p.exportMu.Unlock()
	for p.size.Load() > 0 {
		batch := p.take()
		if err := p.exp.Export(ctx, batch); err != nil {
			p.dropped.Add(uint64(len(batch)))
		}
	}
}

func (p *batchProcessor) run() {
	defer close(p.done)
	t := time.NewTicker(p.interval)
	defer t.Stop()
	for {
		select {
		case <-p.stop:
			p.flush(context.Background())
			return
		case <-t.C:
		case <-p.wake:
		}
		p.flush(context.Background())
	}
}

// ForceFlush exports what is there from the goroutine of the caller.
func (p *batchProcessor) ForceFlush(ctx context.Context) { p.flush(ctx) }

// Dropped counts the spans that were not exported.
func (p *batchProcessor) Dropped() uint64 { return p.dropped.Load() }

// Shutdown takes no more spans in and exports the rest.
func (p *batchProcessor) Shutdown(ctx context.Context) error {
	p.mu.Lock()
	first := !p.stopped
	p.stopped = true
	p.mu.Unlock()
	if first {
		close(p.stop)
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
