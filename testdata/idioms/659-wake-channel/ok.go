// Package syncer uploads local changes of a folder.
package syncer

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// ErrSkip is returned by an uploader for files that are gone.
var ErrSkip = errors.New("syncer: skip")

// Uploader sends one file.
type Uploader interface {
	Upload(ctx context.Context, path string) error
}

// Syncer collects changed paths and uploads them with one goroutine.
type Syncer struct {
	up     Uploader
	settle time.Duration
	wake   chan struct{}

	mu      sync.Mutex
	changed map[string]time.Time // path -> last change
	paused  bool
}

// New returns a syncer that waits until a file has not changed for settle.
func New(up Uploader, settle time.Duration) *Syncer {
	return &Syncer{
		up:      up,
		settle:  settle,
		wake:    make(chan struct{}, 1),
		changed: make(map[string]time.Time),
	}
}

func (s *Syncer) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Changed notes a change; it is called by the file system watchers.
func (s *Syncer) Changed(path string) {
	s.mu.Lock()
	s.changed[path] = time.Now()
	s.mu.Unlock()
	s.signal()
}

// SetPaused stops or resumes uploads.
func (s *Syncer) SetPaused(p bool) {
	s.mu.Lock()
	s.paused = p
	s.mu.Unlock()
	if !p {
		s.signal()
	}
}

// next takes the path that has settled, or tells how long to wait for one; zero means until a signal.
func (s *Syncer) next(now time.Time) (path string, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paused {
		return "", 0
	}
	for p, at := range s.changed {
		left := s.settle - now.Sub(at)
		if left <= 0 {
			delete(s.changed, p)
			return p, 0
		}
		if wait == 0 || left < wait {
			wait = left
		}
	}
	return "", wait
}

// Pending returns the number of paths that wait.
func (s *Syncer) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.changed)
}

func (s *Syncer) upload(ctx context.Context, path string) {
	err := s.up.Upload(ctx, path)
	if err == nil || errors.Is(err, ErrSkip) {
		return
	}
	slog.Warn("upload", "path", path, "err", err)
	if ctx.Err() == nil {
		s.Changed(path)
	}
}

// Run uploads until ctx ends.
func (s *Syncer) Run(ctx context.Context) error {
	for {
		path, wait := s.next(time.Now())
		if path != "" {
			s.upload(ctx, path)
			continue
		}
		var timer <-chan time.Time
		if wait > 0 {
			timer = time.After(wait)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer:
		case <-s.wake:
		}
	}
}
