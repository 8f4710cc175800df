// Package ok takes uploads within the quota of each team.
package ok

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

var ErrFull = errors.New("uploads: quota used up")

// Blobs stores bytes under a key.
type Blobs interface {
	Put(ctx context.Context, key string, r io.Reader) error
	Remove(ctx context.Context, key string) error
}

// Scanner looks for malware; that takes a while.
type Scanner interface {
	Scan(ctx context.Context, r io.ReadSeeker) error
}

// quota books bytes.
type quota struct {
	mu    sync.Mutex
	limit int64
	used  map[string]int64
}

func (q *quota) free(team string) int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.limit - q.used[team]
}

func (q *quota) book(team string, n int64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.used[team]+n > q.limit {
		return ErrFull
	}
	q.used[team] += n
	return nil
}

func (q *quota) refund(team string, n int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used[team] -= n
}

// Service accepts uploads.
type Service struct {
	quota   *quota
	blobs   Blobs
	scanner Scanner
}

func NewService(limit int64, b Blobs, s Scanner) *Service {
	return &Service{
		quota:   &quota{limit: limit, used: make(map[string]int64)},
		blobs:   b,
		scanner: s,
	}
}

// Upload scans and stores a file of n bytes.
func (s *Service) Upload(ctx context.Context, team, key string, n int64, r io.ReadSeeker) error {
	// No need to scan what will not fit.
	if s.quota.free(team) < n {
		return fmt.Errorf("upload %s: %w", key, ErrFull)
	}
	if err := s.scanner.Scan(ctx, r); err != nil {
		return fmt.Errorf("upload %s: %w", key, err)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("upload %s: %w", key, err)
	}
	return s.store(ctx, team, key, n, r)
}

func (s *Service) store(ctx context.Context, team, key string, n int64, r io.Reader) error {
	if err := s.quota.book(team, n); err != nil {
		return fmt.Errorf("upload %s: %w", key, err)
	}
	if err := s.blobs.Put(ctx, key, io.LimitReader(r, n)); err != nil {
		s.quota.refund(team, n)
		return fmt.Errorf("upload %s: %w", key, err)
	}
	return nil
}

// Free tells how many bytes a team may still upload.
func (s *Service) Free(team string) int64 { return s.quota.free(team) }
