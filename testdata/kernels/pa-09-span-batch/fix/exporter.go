package spanexport

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Span is one finished operation.
type Span struct {
	TraceID  [16]byte
	SpanID   [8]byte
	Name     string
	Start    time.Time
	Duration time.Duration
}

// Uploader sends spans to the collector.
type Uploader interface {
	Upload(ctx context.Context, spans []Span) error
}

// Options of an Exporter.
type Options struct {
	MaxPending    int
	FlushAt       int
	FlushInterval time.Duration
	UploadTimeout time.Duration
}

func (o *Options) setDefaults() {
	if o.MaxPending <= 0 {
		o.MaxPending = 4096
	}
	if o.FlushAt <= 0 || o.FlushAt > o.MaxPending {
		o.FlushAt = o.MaxPending / 4
	}
	if o.FlushInterval <= 0 {
		o.FlushInterval = 5 * time.Second
	}
	if o.UploadTimeout <= 0 {
		o.UploadTimeout = 10 * time.Second
	}
}

// Exporter buffers spans and uploads them in the background. Spans stay in the
// buffer until the collector has taken them.
type Exporter struct {
	opts Options
	up   Uploader
	wake chan struct{}
	stop chan struct{}
	done chan struct{}
	once sync.Once

	mu      sync.Mutex
	spans   []Span
	dropped uint64
}

// Start returns a running exporter.
func Start(up Uploader, opts Options) *Exporter {
	opts.setDefaults()
	e := &Exporter{
		opts: opts,
		up:   up,
		wake: make(chan struct{}, 1),
		stop: make(chan struct{}),
		done: make(chan struct{}),
	}
	go e.loop()
	return e
}

// Record adds a span. When the buffer is full the span is dropped.
func (e *Exporter) Record(s Span) {
	e.mu.Lock()
	if len(e.spans) >= e.opts.MaxPending {
		e.dropped++
		e.mu.Unlock()
		return
	}
	e.spans = append(e.spans, s)
	full := len(e.spans) >= e.opts.FlushAt
	e.mu.Unlock()
	if full {
		select {
		case e.wake <- struct{}{}:
		default:
		}
	}
}

// Dropped returns how many spans did not fit into the buffer.
func (e *Exporter) Dropped() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.dropped
}

func (e *Exporter) loop() {
	defer close(e.done)
	t := time.NewTicker(e.opts.FlushInterval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-e.wake:
		case <-e.stop:
			if err := e.flush(); err != nil {
				slog.Error("spanexport: last flush", "err", err)
			}
			return
		}
		if err := e.flush(); err != nil {
			slog.Warn("spanexport: flush", "err", err)
		}
	}
}

func (e *Exporter) pending() []Span {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.spans)
}

// commit drops spans that the collector has acknowledged.
func (e *Exporter) commit(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.spans = slices.Delete(e.spans, 0, n)
}

func (e *Exporter) flush() error {
	spans := e.pending()
	if len(spans) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), e.opts.UploadTimeout)
	defer cancel()
	if err := e.up.Upload(ctx, spans); err != nil {
		return fmt.Errorf("upload of %d spans: %w", len(spans), err)
	}
	e.commit(len(spans))
	return nil
}

// Shutdown uploads what is left. Spans recorded afterwards are not sent.
func (e *Exporter) Shutdown(ctx context.Context) error {
	e.once.Do(func() { close(e.stop) })
	select {
	case <-e.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
