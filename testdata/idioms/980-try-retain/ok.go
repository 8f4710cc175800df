// Package views gives readers of a log-structured store a stable set of files
// without taking a lock.
package views

import (
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrClosed is returned by a closed set.
var ErrClosed = errors.New("views: closed")

// File is an open, immutable file.
type File interface {
	io.ReaderAt
	io.Closer
}

// run counts the views that a file is in.
type run struct {
	File
	refs atomic.Int64
}

func (r *run) release() {
	if r.refs.Add(-1) == 0 {
		_ = r.Close()
	}
}

// View is a set of files that stay open until it is released.
type View struct {
	runs []*run
	refs atomic.Int64 // zero is final
}

// Files returns the files of the view, newest last.
func (v *View) Files() []File {
	out := make([]File, len(v.runs))
	for i, r := range v.runs {
		out[i] = r.File
	}
	return out
}

// tryRetain takes a reference unless the view is finished with.
func (v *View) tryRetain() bool {
	for {
		n := v.refs.Load()
		if n == 0 {
			return false
		}
		if v.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release gives a reference up.
func (v *View) Release() {
	if v.refs.Add(-1) > 0 {
		return
	}
	for _, r := range v.runs {
		r.release()
	}
}

// Set holds the current view. It is safe for concurrent use.
type Set struct {
	current atomic.Pointer[View] // nil when closed
	mu      sync.Mutex           // held to replace current
}

// New returns a set without files.
func New() *Set {
	s := new(Set)
	v := new(View)
	v.refs.Store(1)
	s.current.Store(v)
	return s
}

// Acquire returns the current view. The caller has to release it.
func (s *Set) Acquire() (*View, error) {
	for {
		v := s.current.Load()
		if v == nil {
			return nil, ErrClosed
		}
		if v.tryRetain() {
			return v, nil
		}
		// It was replaced and let go since, there is a newer one.
	}
}

// publish replaces the current view, whose files are still open because the
// set has a reference. The caller holds s.mu.
func (s *Set) publish(runs []*run) {
	v := &View{runs: runs}
	v.refs.Store(1)
	for _, r := range runs {
		r.refs.Add(1)
	}
	s.current.Swap(v).Release()
}

// Add puts a new file into the set, which closes it when it is done with it,
// unless Add returns an error.
func (s *Set) Add(f File) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	cur := s.current.Load()
	if cur == nil {
		return ErrClosed
	}
	s.publish(append(slices.Clone(cur.runs), &run{File: f}))
	return nil
}

// Replace puts a merged file in the place of those it was made from. They must be
// the oldest ones in the set and be replaced by nobody else.
func (s *Set) Replace(old []File, merged File) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	cur := s.current.Load()
	if cur == nil {
		return ErrClosed
	}
	runs := []*run{{File: merged}}
	for _, r := range cur.runs {
		if !slices.Contains(old, r.File) {
			runs = append(runs, r)
		}
	}
	s.publish(runs)
	return nil
}

// Close lets go of the current view. Readers finish with what they have.
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.current.Swap(nil); v != nil {
		v.Release()
	}
}
