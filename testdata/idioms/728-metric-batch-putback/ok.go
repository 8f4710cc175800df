package remotewrite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// ErrRejected is wrapped by errors that a retry does not cure.
var ErrRejected = errors.New("remotewrite: rejected")

// Sample is one value of a series.
type Sample struct {
	Series string
	At     time.Time
	Value  float64
}

// Remote is the storage that the samples go to.
type Remote interface {
	Write(ctx context.Context, batch []Sample) error
}

type buffer struct {
	sync.Mutex
	samples []Sample
	lost    int
}

func (b *buffer) add(s ...Sample) {
	b.Lock()
	defer b.Unlock()
	b.samples = append(b.samples, s...)
}

func (b *buffer) takeAll() []Sample {
	b.Lock()
	defer b.Unlock()
	s := b.samples
	b.samples = nil
	return s
}

func (b *buffer) putBack(s []Sample, limit int) {
	b.Lock()
	defer b.Unlock()
	all := append(s, b.samples...)
	if n := len(all) - limit; n > 0 {
		b.lost += n
		all = all[n:]
	}
	b.samples = all
}

func (b *buffer) drop(n int) {
	b.Lock()
	defer b.Unlock()
	b.lost += n
}

// Writer sends samples to a remote storage in the background.
type Writer struct {
	remote Remote
	limit  int
	every  time.Duration
	buf    buffer
	done   chan struct{}
	cancel context.CancelFunc
}

// NewWriter returns a running writer that keeps up to limit samples while the
// remote storage is down.
func NewWriter(r Remote, limit int, every time.Duration) *Writer {
	ctx, cancel := context.WithCancel(context.Background())
	w := &Writer{remote: r, limit: limit, every: every, done: make(chan struct{}), cancel: cancel}
	go w.run(ctx)
	return w
}

// Append queues samples.
func (w *Writer) Append(s ...Sample) { w.buf.add(s...) }

func (w *Writer) run(ctx context.Context) {
	defer close(w.done)
	t := time.NewTicker(w.every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			w.flush(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			w.flush(last)
			return
		}
	}
}

func (w *Writer) flush(ctx context.Context) {
	batch := w.buf.takeAll()
	if len(batch) == 0 {
		return
	}
	err := w.send(ctx, batch)
	switch {
	case err == nil:
	case errors.Is(err, ErrRejected):
		slog.Error("remotewrite: batch dropped", "samples", len(batch), "err", err)
		w.buf.drop(len(batch))
	default:
		slog.Warn("remotewrite: will retry", "samples", len(batch), "err", err)
		w.buf.putBack(batch, w.limit)
	}
}

func (w *Writer) send(ctx context.Context, batch []Sample) error {
	ctx, cancel := context.WithTimeout(ctx, w.every)
	defer cancel()
	if err := w.remote.Write(ctx, batch); err != nil {
		return fmt.Errorf("write of %d samples: %w", len(batch), err)
	}
	return nil
}

// Close stops the writer after a last attempt to send. Append must not be
// called any more.
func (w *Writer) Close() {
	w.cancel()
	<-w.done
}

// Lost returns the number of samples that were given up.
func (w *Writer) Lost() int {
	w.buf.Lock()
	defer w.buf.Unlock()
	return w.buf.lost
}
