// Package a serves reads from index files that are replaced while the service
// runs.
package a

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

var (
	ErrUnknown = errors.New("no such index")
	ErrClosed  = errors.New("index set is closed")
)

// File is an opened index file.
type File interface {
	io.ReaderAt
	io.Closer
}

// Index is one version of an index. Its file is closed with the last
// reference; a count of zero is never raised again.
type Index struct {
	name    string
	version int
	file    File
	refs    atomic.Int64
}

// tryAcquire adds a reference if there is still one.
func (x *Index) tryAcquire() bool {
	for {
		n := x.refs.Load()
		if n == 0 {
			return false
		}
		if x.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release gives a reference back.
func (x *Index) Release() {
	if x.refs.Add(-1) == 0 {
		x.file.Close()
	}
}

// ReadAt reads from the file; the caller holds a reference.
func (x *Index) ReadAt(p []byte, off int64) (int, error) {
	return x.file.ReadAt(p, off)
}

// Version returns the number of this version.
func (x *Index) Version() int { return x.version }

// Set holds one reference to the current version of each index.
type Set struct {
	mu      sync.RWMutex
	indexes map[string]*Index
	closed  bool
}

// NewSet returns an empty set.
func NewSet() *Set {
	return &Set{indexes: make(map[string]*Index)}
}

func (s *Set) lookup(name string) (*Index, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, ErrClosed
	}
	x, ok := s.indexes[name]
	if !ok {
		return nil, ErrUnknown
	}
	return x, nil
}

// Acquire returns the current version. The caller has to release it.
func (s *Set) Acquire(name string) (*Index, error) {
	for {
		x, err := s.lookup(name)
		if err != nil {
			return nil, err
		}
		if x.tryAcquire() {
			return x, nil
		}
		// It has been replaced or removed since; look again.
	}
}

// Replace installs a file as the next version of an index. The set owns the
// file when there is no error.
func (s *Set) Replace(name string, f File) (int, error) {
	next := &Index{name: name, version: 1, file: f}
	next.refs.Store(1)

	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return 0, ErrClosed
	}
	old := s.indexes[name]
	if old != nil {
		next.version = old.version + 1
	}
	s.indexes[name] = next
	s.mu.Unlock()

	if old != nil {
		old.Release()
	}
	return next.version, nil
}

// Remove takes an index out; reads that are under way may finish.
func (s *Set) Remove(name string) error {
	s.mu.Lock()
	x, ok := s.indexes[name]
	delete(s.indexes, name)
	s.mu.Unlock()
	if !ok {
		return ErrUnknown
	}
	x.Release()
	return nil
}

// Read reads from the current version of an index.
func (s *Set) Read(name string, p []byte, off int64) (int, error) {
	x, err := s.Acquire(name)
	if err != nil {
		return 0, err
	}
	defer x.Release()
	return x.ReadAt(p, off)
}

// Close takes all the indexes out.
func (s *Set) Close() {
	s.mu.Lock()
	s.closed = true
	all := s.indexes
	s.indexes = make(map[string]*Index)
	s.mu.Unlock()
	for _, x := range all {
		x.Release()
	}
}
