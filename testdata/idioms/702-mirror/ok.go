// Package mirror caches checksums of the files of a package mirror.
package mirror

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"
)

// fileKey names one content: a path of the mirror is written once and never again.
type fileKey struct {
	path  string
	size  int64
	mtime int64
}

type sumEntry struct {
	sum  string
	used time.Time
}

// Sums is a cache of checksums.
type Sums struct {
	fsys fs.FS

	mu      sync.RWMutex
	entries map[fileKey]sumEntry

	hits, misses atomic.Int64
}

// NewSums returns an empty cache for the files of fsys.
func NewSums(fsys fs.FS) *Sums {
	return &Sums{fsys: fsys, entries: make(map[fileKey]sumEntry)}
}

func (s *Sums) cached(k fileKey) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	e, ok := s.entries[k]
	return e.sum, ok
}

func (s *Sums) remember(k fileKey, sum string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries[k] = sumEntry{sum: sum, used: time.Now()}
}

func (s *Sums) touch(k fileKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.entries[k]; ok {
		e.used = time.Now()
		s.entries[k] = e
	}
}

// Of returns the checksum of a file.
func (s *Sums) Of(path string) (string, error) {
	info, err := fs.Stat(s.fsys, path)
	if err != nil {
		return "", err
	}
	k := fileKey{path: path, size: info.Size(), mtime: info.ModTime().UnixNano()}
	if sum, ok := s.cached(k); ok {
		s.hits.Add(1)
		s.touch(k)
		return sum, nil
	}
	s.misses.Add(1)
	sum, err := s.compute(path)
	if err != nil {
		return "", fmt.Errorf("mirror: checksum of %s: %w", path, err)
	}
	s.remember(k, sum)
	return sum, nil
}

func (s *Sums) compute(path string) (string, error) {
	f, err := s.fsys.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (s *Sums) older(limit time.Time) []fileKey {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var keys []fileKey
	for k, e := range s.entries {
		if e.used.Before(limit) {
			keys = append(keys, k)
		}
	}
	return keys
}

// Trim drops entries which nobody asked for in a while.
func (s *Sums) Trim(age time.Duration) (n int) {
	limit := time.Now().Add(-age)
	for _, k := range s.older(limit) {
		if s.dropIfOlder(k, limit) {
			n++
		}
	}
	return n
}

func (s *Sums) dropIfOlder(k fileKey, limit time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[k]
	if !ok || !e.used.Before(limit) {
		return false
	}
	delete(s.entries, k)
	return true
}

// HitRate returns the share of hits, for dashboards.
func (s *Sums) HitRate() float64 {
	h, m := s.hits.Load(), s.misses.Load()
	if h+m == 0 {
		return 0
	}
	return float64(h) / float64(h+m)
}

// Len returns the number of entries.
func (s *Sums) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.entries)
}
