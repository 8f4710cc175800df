// Package a shares open segment files between readers.
package a

import (
	"io"
	"sync"
	"sync/atomic"
)

// segment is an open file with its number of readers. A count that has
// reached zero stays zero.
type segment struct {
	name string
	file io.ReaderAt
	done func() error
	refs atomic.Int64
}

// tryRef adds a reader unless the last one is gone.
func (s *segment) tryRef() bool {
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

// Opener opens a segment file; a file may be open more than once.
type Opener func(name string) (io.ReaderAt, func() error, error)

// Files has the segments that are open.
type Files struct {
	open Opener

	mu   sync.RWMutex
	segs map[string]*segment
}

func NewFiles(open Opener) *Files {
	return &Files{open: open, segs: make(map[string]*segment)}
}

func (f *Files) lookup(name string) *segment {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.segs[name]
}

func (f *Files) acquire(name string) (*segment, error) {
	if s := f.lookup(name); s != nil && s.tryRef() {
		return s, nil
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.segs[name]; s != nil && s.tryRef() {
		return s, nil
	}
	file, done, err := f.open(name)
	if err != nil {
		return nil, err
	}
	s := &segment{name: name, file: file, done: done}
	s.refs.Store(1)
	f.segs[name] = s
	return s, nil
}

func (f *Files) release(s *segment) error {
	if s.refs.Add(-1) > 0 {
		return nil
	}
	f.mu.Lock()
	if f.segs[s.name] == s {
		delete(f.segs, s.name)
	}
	f.mu.Unlock()
	return s.done()
}

// ReadAt reads from a segment.
func (f *Files) ReadAt(name string, p []byte, off int64) (int, error) {
	s, err := f.acquire(name)
	if err != nil {
		return 0, err
	}
	n, err := s.file.ReadAt(p, off)
	if cerr := f.release(s); err == nil {
		err = cerr
	}
	return n, err
}
