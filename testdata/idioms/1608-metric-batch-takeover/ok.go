// Package a ships metrics in batches.
package a

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// ErrFull is returned when too many samples wait for shipment.
var ErrFull = errors.New("metrics: buffer is full")

// Sample is one measurement.
type Sample struct {
	Name  string
	Value float64
	At    time.Time
}

// Sink receives batches.
type Sink interface {
	Write(ctx context.Context, batch []Sample) error
}

// Shipper buffers samples. Those handed to the sink count against the
// limit until the sink has answered.
type Shipper struct {
	sink  Sink
	limit int
	log   *slog.Logger

	mu      sync.Mutex
	pending []Sample
	held    int
	lost    int
}

// NewShipper returns a shipper which holds up to limit samples.
func NewShipper(sink Sink, limit int, log *slog.Logger) *Shipper {
	return &Shipper{sink: sink, limit: limit, log: log}
}

// Add buffers a sample.
func (s *Shipper) Add(x Sample) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held >= s.limit {
		s.lost++
		return ErrFull
	}
	s.held++
	s.pending = append(s.pending, x)
	return nil
}

// Flush ships what is buffered.
func (s *Shipper) Flush(ctx context.Context) error {
	s.mu.Lock()
	batch := s.pending
	s.pending = nil
	s.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}

	err := s.sink.Write(ctx, batch)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= len(batch)
	if err != nil {
		s.lost += len(batch)
	}
	return err
}

// Lost returns the number of samples which never arrived.
func (s *Shipper) Lost() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// Run flushes at intervals, and once more when ctx ends.
func (s *Shipper) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := s.Flush(ctx); err != nil {
				s.log.Warn("flush", "err", err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := s.Flush(last); err != nil {
				s.log.Error("final flush", "err", err)
			}
			return
		}
	}
}
