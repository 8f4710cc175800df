// Package version keeps the sets of table files that readers of a storage engine use.
package version

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("version: closed")

// FS removes files.
type FS interface {
	Remove(name string) error
	Scan(ctx context.Context, name string, fn func(key, val []byte) bool) error
}

// version is an immutable list of files.
type version struct {
	files []string
	refs  int // guarded by Set.mu
}

// Set holds the current version and those still in use.
type Set struct {
	fs    FS
	trash chan string

	mu      sync.Mutex
	current *version
	uses    map[string]int // in how many live versions a file is
	closed  bool
}

// NewSet starts with the given files.
func NewSet(fs FS, files ...string) *Set {
	s := &Set{fs: fs, trash: make(chan string, 1024), uses: make(map[string]int)}
	s.install(files)
	go s.sweep()
	return s
}

// install makes a new version current and returns the one before. s.mu is held, or s is not shared yet.
func (s *Set) install(files []string) *version {
	old := s.current
	s.current = &version{files: files, refs: 1}
	for _, f := range files {
		s.uses[f]++
	}
	return old
}

func (s *Set) acquire() (*version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	s.current.refs++
	return s.current, nil
}

// drop gives up a reference and returns the files that nobody needs. s.mu is held.
func (s *Set) drop(v *version) []string {
	v.refs--
	if v.refs > 0 {
		return nil
	}
	var dead []string
	for _, f := range v.files {
		if s.uses[f]--; s.uses[f] == 0 {
			delete(s.uses, f)
			dead = append(dead, f)
		}
	}
	return dead
}

func (s *Set) release(v *version) {
	s.mu.Lock()
	dead := s.drop(v)
	s.mu.Unlock()
	for _, f := range dead {
		s.trash <- f
	}
}

// Edit replaces files by others, as a compaction does. File names are never used again.
func (s *Set) Edit(remove, add []string) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	files := slices.DeleteFunc(slices.Clone(s.current.files), func(f string) bool {
		return slices.Contains(remove, f)
	})
	old := s.install(append(files, add...))
	s.mu.Unlock()
	s.release(old)
	return nil
}

// Scan visits all keys of the version that is current when it starts.
func (s *Set) Scan(ctx context.Context, fn func(key, val []byte) bool) error {
	v, err := s.acquire()
	if err != nil {
		return err
	}
	defer s.release(v)
	for _, f := range v.files {
		if err := s.fs.Scan(ctx, f, fn); err != nil {
			return fmt.Errorf("version: scan %s: %w", f, err)
		}
	}
	return nil
}

// sweep removes dead files for the life of the process.
func (s *Set) sweep() {
	for f := range s.trash {
		if err := s.fs.Remove(f); err != nil {
			slog.Warn("remove table", "file", f, "err", err)
		}
	}
}

// Close refuses further scans; files stay on disk.
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}
