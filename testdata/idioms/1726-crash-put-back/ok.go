// Package a collects crash reports and uploads them in batches.
package a

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Report is one crash.
type Report struct {
	At    time.Time
	Build string
	Stack []string
}

// Uploader sends a batch; it takes all of it or nothing.
type Uploader interface {
	Upload(ctx context.Context, batch []Report) error
}

// Reporter queues reports until they are uploaded. When the queue is full
// the oldest reports are dropped.
type Reporter struct {
	up    Uploader
	limit int

	flushing sync.Mutex // held over an upload, so that batches stay in order

	mu      sync.Mutex
	pending []Report
	dropped int
}

// NewReporter returns a reporter that keeps at most limit reports.
func NewReporter(up Uploader, limit int) *Reporter {
	return &Reporter{up: up, limit: max(limit, 1)}
}

// Record queues a report.
func (r *Reporter) Record(rep Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending = append(r.pending, rep)
	r.trim()
}

// trim drops the oldest reports. The caller holds r.mu.
func (r *Reporter) trim() {
	if n := len(r.pending) - r.limit; n > 0 {
		r.pending = append([]Report(nil), r.pending[n:]...)
		r.dropped += n
	}
}

// Flush uploads what is queued. If the upload fails the reports are kept for
// the next attempt.
func (r *Reporter) Flush(ctx context.Context) error {
	r.flushing.Lock()
	defer r.flushing.Unlock()

	batch := r.take()
	if len(batch) == 0 {
		return nil
	}
	if err := r.up.Upload(ctx, batch); err != nil {
		r.putBack(batch)
		return fmt.Errorf("upload of %d reports: %w", len(batch), err)
	}
	return nil
}

func (r *Reporter) take() []Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	batch := r.pending
	r.pending = nil
	return batch
}

func (r *Reporter) putBack(batch []Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	queue := make([]Report, 0, len(batch)+len(r.pending))
	queue = append(queue, batch...)
	queue = append(queue, r.pending...)
	r.pending = queue
	r.trim()
}

// Run flushes regularly until ctx ends.
func (r *Reporter) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = r.Flush(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// Dropped returns how many reports were lost because the queue was full.
func (r *Reporter) Dropped() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dropped
}
