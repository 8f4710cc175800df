// Package export sends spans of a trace in batches.
package export

import (
	"log"
	"sync"
	"time"
)

// Span is a part of a trace.
type Span struct {
	Trace, Name string
	Start       time.Time
	Took        time.Duration
}

// Sink takes batches, from several goroutines at a time.
type Sink interface {
	Send(batch []Span) error
}

// Exporter collects spans for a sink.
type Exporter struct {
	sink  Sink
	limit int

	mu  sync.Mutex
	buf []Span
}

// New returns an exporter that sends when it has limit spans, and at least
// once in each period. It ends when quit is closed.
func New(sink Sink, limit int, period time.Duration, quit <-chan struct{}) *Exporter {
	e := &Exporter{sink: sink, limit: limit, buf: make([]Span, 0, limit)}
	go func() {
		t := time.NewTicker(period)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				e.Flush()
			case <-quit:
				e.Flush()
				return
			}
		}
	}()
	return e
}

// cut takes everything out of the buffer. e.mu is held.
func (e *Exporter) cut() []Span {
	batch := e.buf
	e.buf = e.buf[:0]
	return batch
}

func (e *Exporter) send(batch []Span) {
	if err := e.sink.Send(batch); err != nil {
		log.Printf("export: %d spans lost: %v", len(batch), err)
	}
}

// Record adds a span. It is called wherever a span ends.
func (e *Exporter) Record(s Span) {
	var batch []Span
	e.mu.Lock()
	e.buf = append(e.buf, s)
	if len(e.buf) >= e.limit {
		batch = e.cut()
	}
	e.mu.Unlock()
	if batch != nil {
		e.send(batch)
	}
}

// Flush sends what there is.
func (e *Exporter) Flush() {
	e.mu.Lock()
	batch := e.cut()
	e.mu.Unlock()
	if len(batch) > 0 {
		e.send(batch)
	}
}
