// Package a queues spans for export. Once Offer has accepted a span it is
// exported, also when the queue is stopped.
package a

import (
	"sync"
	"sync/atomic"
	"time"
)

// Span is a finished operation.
type Span struct {
	TraceID  string
	Name     string
	Duration time.Duration
}

// Exporter sends spans to a collector.
type Exporter interface {
	Export([]Span) error
}

// Stats are the counters of a queue.
type Stats struct {
	Accepted, Dropped, Failed int64
}

// Queue is bounded; it drops spans when it is full rather than block.
type Queue struct {
	exp   Exporter
	batch int
	items chan Span
	stop  chan struct{}
	wg    sync.WaitGroup

	stopped atomic.Bool

	accepted atomic.Int64
	dropped  atomic.Int64
	failed   atomic.Int64
}

// NewQueue returns a queue for size spans and starts its workers.
func NewQueue(exp Exporter, size, batch, workers int) *Queue {
	q := &Queue{
		exp:   exp,
		batch: max(batch, 1),
		items: make(chan Span, size),
		stop:  make(chan struct{}),
	}
	for range workers {
		q.wg.Add(1)
		go q.work()
	}
	return q
}

// Offer accepts a span, or returns false when the queue is full or stopped.
func (q *Queue) Offer(s Span) bool {
	if q.stopped.Load() {
		q.dropped.Add(1)
		return false
	}
	select {
	case q.items <- s:
		q.accepted.Add(1)
		return true
	default:
		q.dropped.Add(1)
		return false
	}
}

// work exports spans in batches until the queue is stopped.
func (q *Queue) work() {
	defer q.wg.Done()
	for {
		select {
		case <-q.stop:
			return
		case s := <-q.items:
			q.export(q.collect([]Span{s}))
		}
	}
}

// collect fills up a batch with what is there.
func (q *Queue) collect(spans []Span) []Span {
	for len(spans) < q.batch {
		select {
		case s := <-q.items:
			spans = append(spans, s)
		default:
			return spans
		}
	}
	return spans
}

func (q *Queue) export(spans []Span) {
	if err := q.exp.Export(spans); err != nil {
		q.failed.Add(int64(len(spans)))
	}
}

// drain exports what the workers have left behind.
func (q *Queue) drain() {
	for {
		spans := q.collect(nil)
		if len(spans) == 0 {
			return
		}
		q.export(spans)
	}
}

// markStopped reports whether this call has stopped the queue.
func (q *Queue) markStopped() bool {
	return q.stopped.CompareAndSwap(false, true)
}

// Stop refuses further spans and exports the ones in the queue. Only the first
// call does something.
func (q *Queue) Stop() {
	if !q.markStopped() {
		return
	}
	close(q.stop)
	q.wg.Wait()
	q.drain()
}

// Len returns how many spans wait.
func (q *Queue) Len() int { return len(q.items) }

// Stats returns the counters.
func (q *Queue) Stats() Stats {
	return Stats{
		Accepted: q.accepted.Load(),
		Dropped:  q.dropped.Load(),
		Failed:   q.failed.Load(),
	}
}
