// Package a renders thumbnails with a bounded number of workers.
package a

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"
)

// ErrOverloaded is returned when a request has waited too long.
var ErrOverloaded = errors.New("thumbs: overloaded")

// Quality is the effort put into a picture.
type Quality int

// Qualities of a thumbnail.
const (
	Fast Quality = iota
	Best
)

// Render makes a picture smaller.
type Render func(ctx context.Context, dst io.Writer, src io.Reader, q Quality) error

// Service limits how many pictures are rendered at a time.
type Service struct {
	render  Render
	slots   chan struct{}
	patient time.Duration
	waiting atomic.Int64
	log     *slog.Logger
}

// NewService returns a service with n workers.
func NewService(render Render, n int, log *slog.Logger) *Service {
	return &Service{render: render, slots: make(chan struct{}, n), patient: 2 * time.Second, log: log}
}

// quality prefers speed when there is a queue.
func (s *Service) quality() Quality {
	if s.waiting.Load() > int64(cap(s.slots)) {
		return Fast
	}
	return Best
}

func (s *Service) acquire(ctx context.Context) error {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	t := time.NewTimer(s.patient)
	defer t.Stop()
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-t.C:
		return ErrOverloaded
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Thumbnail writes the small version of src to dst.
func (s *Service) Thumbnail(ctx context.Context, dst io.Writer, src io.Reader) error {
	q := s.quality()
	if n := len(s.slots); n == cap(s.slots) {
		s.log.Debug("all workers busy", "workers", n, "waiting", s.waiting.Load())
	}
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer func() { <-s.slots }()
	return s.render(ctx, dst, src, q)
}

// ServeHTTP renders the request body.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch err := s.Thumbnail(r.Context(), w, r.Body); {
	case errors.Is(err, ErrOverloaded):
		w.Header().Set("Retry-After", "3")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
