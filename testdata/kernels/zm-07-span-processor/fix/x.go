package fix

import (
	"sync"
	"sync/atomic"
	"time"
)

// Span is a finished piece of work.
type Span struct {
	Name  string
	Start time.Time
	End   time.Time
}

// Exporter writes spans out; it may be called by several goroutines.
type Exporter interface {
	Export([]*Span)
}

type batcher struct {
	exp     Exporter
	queue   chan *Span
	quit    chan struct{}
	done    chan struct{}
	once    sync.Once
	mu      sync.RWMutex // read while a span is queued
	stopped atomic.Bool
	dropped atomic.Int64
}

func newBatcher(exp Exporter, size int) *batcher {
	b := &batcher{
		exp:   exp,
		queue: make(chan *Span, size),
		quit:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	go b.run()
	return b
}

func (b *batcher) running() bool { return !b.stopped.Load() }

// enqueue is false if the batcher has been stopped.
func (b *batcher) enqueue(s *Span) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if !b.running() {
		return false
	}
	select {
	case b.queue <- s:
	default:
		b.dropped.Add(1)
	}
	return true
}

func (b *batcher) run() {
	defer close(b.done)
	var batch []*Span
	for {
		select {
		case s := <-b.queue:
			batch = append(batch, s)
			if len(batch) >= 64 {
				b.exp.Export(batch)
				batch = nil
			}
		case <-b.quit:
			b.finish(batch)
			return
		}
	}
}

// finish exports what is left in the queue.
func (b *batcher) finish(batch []*Span) {
	for {
		select {
		case s := <-b.queue:
			batch = append(batch, s)
		default:
			if len(batch) > 0 {
				b.exp.Export(batch)
			}
			return
		}
	}
}

func (b *batcher) stop() {
	b.once.Do(func() {
		b.mu.Lock()
		b.stopped.Store(true)
		b.mu.Unlock()
		close(b.quit)
	})
	<-b.done
}

// Tracer starts spans and sends the finished ones to an exporter. Spans that
// end after Shutdown are exported one by one.
type Tracer struct {
	exp Exporter
	b   *batcher
}

func NewTracer(exp Exporter, size int) *Tracer {
	return &Tracer{exp: exp, b: newBatcher(exp, size)}
}

func (t *Tracer) Start(name string) *Span {
	return &Span{Name: name, Start: time.Now()}
}

// End finishes the span.
func (t *Tracer) End(s *Span) {
	s.End = time.Now()
	if t.b.enqueue(s) {
		return
	}
	t.exp.Export([]*Span{s})
}

// Dropped tells how many spans were thrown away because the queue was full.
func (t *Tracer) Dropped() int64 { return t.b.dropped.Load() }

// Shutdown exports everything that was queued.
func (t *Tracer) Shutdown() { t.b.stop() }
