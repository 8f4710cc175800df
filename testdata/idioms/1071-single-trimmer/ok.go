// Package tail ships log records to a collector and keeps them until the
// collector has confirmed.
package tail

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrFull is returned by Write when the collector is too far behind.
var ErrFull = errors.New("tail: buffer full")

// Collector takes records.
type Collector interface {
	Push(ctx context.Context, records [][]byte) error
}

// Shipper sends records in the order of the writes.
type Shipper struct {
	dst      Collector
	capacity int
	batch    int

	sendMu sync.Mutex // held by the one who sends and trims

	mu      sync.Mutex
	records [][]byte // oldest first
	sent    uint64
	refused uint64
	kick    chan struct{}
}

// New returns a shipper for up to capacity records, sent batch by batch.
func New(dst Collector, capacity, batch int) *Shipper {
	return &Shipper{
		dst:      dst,
		capacity: capacity,
		batch:    batch,
		kick:     make(chan struct{}, 1),
	}
}

// Write buffers a copy of the record.
func (s *Shipper) Write(rec []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.records) >= s.capacity {
		s.refused++
		return ErrFull
	}
	s.records = append(s.records, append([]byte(nil), rec...))
	if len(s.records) >= s.batch {
		select {
		case s.kick <- struct{}{}:
		default:
		}
	}
	return nil
}

func (s *Shipper) head() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(s.records), s.batch)
	return append([][]byte(nil), s.records[:n]...)
}

func (s *Shipper) trim(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.records[:n])
	s.records = s.records[n:]
	s.sent += uint64(n)
}

// Flush sends until the buffer is empty or the collector fails.
func (s *Shipper) Flush(ctx context.Context) error {
	s.sendMu.Lock()
	defer s.sendMu.Unlock()
	for {
		recs := s.head()
		if len(recs) == 0 {
			return nil
		}
		if err := s.dst.Push(ctx, recs); err != nil {
			return fmt.Errorf("tail: push %d records: %w", len(recs), err)
		}
		s.trim(len(recs))
	}
}

// Run flushes on full batches and once per interval.
func (s *Shipper) Run(ctx context.Context, interval time.Duration, onError func(error)) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		case <-s.kick:
		}
		if err := s.Flush(ctx); err != nil {
			onError(err)
		}
	}
}

// Stats returns the records sent, the records refused and those waiting.
func (s *Shipper) Stats() (sent, refused uint64, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent, s.refused, len(s.records)
}
