// Package segfiles keeps the segment files of a partition open for reading.
package segfiles

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("segfiles: closed")

// Set opens segments at first use. Segments are never written again and never
// renamed.
type Set struct {
	dir string

	mu     sync.RWMutex
	files  map[uint64]*os.File
	closed bool
}

// New returns a set for the segments in dir.
func New(dir string) *Set {
	return &Set{dir: dir, files: make(map[uint64]*os.File)}
}

func (s *Set) path(base uint64) string {
	return filepath.Join(s.dir, fmt.Sprintf("%020d.seg", base))
}

func (s *Set) cached(base uint64) (*os.File, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, ErrClosed
	}
	return s.files[base], nil
}

// Reader returns the file of a segment. It stays open until Close.
func (s *Set) Reader(base uint64) (io.ReaderAt, error) {
	f, err := s.cached(base)
	if err != nil {
		return nil, err
	}
	if f != nil {
		return f, nil
	}
	// Not under the lock: the directory may be on a slow network disk.
	f, err = os.Open(s.path(base))
	if err != nil {
		return nil, err
	}
	kept, err := s.keep(base, f)
	if kept != f {
		f.Close()
	}
	if err != nil {
		return nil, err
	}
	return kept, nil
}

// keep returns the file to use for the segment, which is f unless there is
// one already.
func (s *Set) keep(base uint64, f *os.File) (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if cur, ok := s.files[base]; ok {
		return cur, nil
	}
	s.files[base] = f
	return f, nil
}

// Preload opens segments in the background. Errors show up at the first read.
func (s *Set) Preload(bases []uint64) {
	for _, b := range bases {
		go func() {
			_, _ = s.Reader(b)
		}()
	}
}

// ReadAt reads from a segment.
func (s *Set) ReadAt(base uint64, p []byte, off int64) (int, error) {
	r, err := s.Reader(base)
	if err != nil {
		return 0, err
	}
	return r.ReadAt(p, off)
}

// Close closes all files. Reads that come too late fail with os.ErrClosed.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	s.files = nil
	return errors.Join(errs...)
}
