// Package segments shares open cache segments between readers.
package segments

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// ErrNotFound means that a segment is not in the set.
var ErrNotFound = errors.New("segments: not found")

// File is the data of a segment.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Segment is a shared file. It is closed when the last reference is gone.
type Segment struct {
	name string
	file File
	refs atomic.Int64
}

func newSegment(name string, f File) *Segment {
	s := &Segment{name: name, file: f}
	s.refs.Store(1)
	return s
}

func (s *Segment) tryRetain() bool {
	for {
		n := s.refs.Load()
		if n == 0 {
			return false
		}
		if s.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release gives up a reference.
func (s *Segment) Release() error {
	if s.refs.Add(-1) > 0 {
		return nil
	}
	if err := s.file.Close(); err != nil {
		return fmt.Errorf("segments: close %s: %w", s.name, err)
	}
	return nil
}

// ReadAt reads from the segment.
func (s *Segment) ReadAt(p []byte, off int64) (int, error) { return s.file.ReadAt(p, off) }

// Size returns the length of the segment.
func (s *Segment) Size() int64 { return s.file.Size() }

// Set is the segments in use. It holds a reference to each.
type Set struct {
	mu     sync.RWMutex
	byName map[string]*Segment
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{byName: make(map[string]*Segment)} }

func (s *Set) find(name string) (*Segment, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	seg, ok := s.byName[name]
	return seg, ok
}

// Open returns a segment; the caller releases it.
func (s *Set) Open(name string) (*Segment, error) {
	for {
		seg, ok := s.find(name)
		if !ok {
			return nil, fmt.Errorf("%w: %s", ErrNotFound, name)
		}
		if seg.tryRetain() {
			return seg, nil
		}
	}
}

// Put adds a segment, in place of one of the same name.
func (s *Set) Put(name string, f File) error {
	seg := newSegment(name, f)
	s.mu.Lock()
	old := s.byName[name]
	s.byName[name] = seg
	s.mu.Unlock()
	if old != nil {
		return old.Release()
	}
	return nil
}

// Drop removes a segment. Readers that have it open keep it.
func (s *Set) Drop(name string) error {
	s.mu.Lock()
	seg, ok := s.byName[name]
	delete(s.byName, name)
	s.mu.Unlock()
	if !ok {
		return fmt.Errorf("%w: %s", ErrNotFound, name)
	}
	return seg.Release()
}

// Read reads from a segment by name.
func (s *Set) Read(name string, p []byte, off int64) (n int, err error) {
	seg, err := s.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, seg.Release()) }()
	return seg.ReadAt(p, off)
}
