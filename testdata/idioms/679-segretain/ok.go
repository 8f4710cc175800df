// Package segment shares immutable segment files between searches and merges.
package segment

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrClosed is returned by Acquire on a closed set.
var ErrClosed = errors.New("segment: set closed")

// File is an open segment file; it is deleted when nobody uses it any more.
type File struct {
	Name string
	io.ReaderAt
	f    *os.File
	refs atomic.Int32
}

// Open opens a segment file with one reference, for the set.
func Open(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("segment: %w", err)
	}
	s := &File{Name: name, ReaderAt: f, f: f}
	s.refs.Store(1)
	return s, nil
}

func (s *File) tryRetain() bool {
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

func (s *File) release() {
	if s.refs.Add(-1) > 0 {
		return
	}
	if err := errors.Join(s.f.Close(), os.Remove(s.Name)); err != nil {
		slog.Warn("segment left behind", "name", s.Name, "err", err)
	}
}

// Set is the present list of segments.
type Set struct {
	writer sync.Mutex // serialises Replace and Close
	list   atomic.Pointer[[]*File]
}

// NewSet takes over the references of files.
func NewSet(files ...*File) *Set {
	s := new(Set)
	s.list.Store(&files)
	return s
}

// View is a list of segments that stay until it is released.
type View struct {
	Files []*File
	once  sync.Once
}

// Release gives the segments back.
func (v *View) Release() {
	v.once.Do(func() { releaseAll(v.Files) })
}

func releaseAll(fs []*File) {
	for _, f := range fs {
		f.release()
	}
}

// Acquire returns the present segments.
func (s *Set) Acquire() (*View, error) {
	for {
		cur := s.list.Load()
		if cur == nil {
			return nil, ErrClosed
		}
		if retainAll(*cur) {
			return &View{Files: *cur}, nil
		}
	}
}

func retainAll(fs []*File) bool {
	for i, f := range fs {
		if !f.tryRetain() {
			releaseAll(fs[:i])
			return false
		}
	}
	return true
}

// Replace puts merged in the place of victims and takes over its reference.
func (s *Set) Replace(victims []*File, merged *File) error {
	s.writer.Lock()
	defer s.writer.Unlock()
	cur := s.list.Load()
	if cur == nil {
		return ErrClosed
	}
	next := make([]*File, 0, len(*cur)+1)
	var out []*File
	for _, f := range *cur {
		if slices.Contains(victims, f) {
			out = append(out, f)
			continue
		}
		next = append(next, f)
	}
	next = append(next, merged)
	s.list.Store(&next)
	releaseAll(out)
	return nil
}

// Close drops a scratch index with all its segments.
func (s *Set) Close() {
	s.writer.Lock()
	defer s.writer.Unlock()
	if cur := s.list.Swap(nil); cur != nil {
		releaseAll(*cur)
	}
}
