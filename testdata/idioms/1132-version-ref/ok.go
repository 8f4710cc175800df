// Correct: tryRef never takes a count up from zero (compare and swap), and a
// reader that fails loads the current version again. A version that was
// replaced after the load but could be referenced is alive and consistent.

// Package ok keeps the file sets that readers see as counted versions.
package ok

import (
	"slices"
	"sync"
	"sync/atomic"
)

// File is a table file; it is removed when no version has it any more.
type File struct {
	Num    uint64
	Remove func()
	refs   atomic.Int64
}

func (f *File) unref() {
	if f.refs.Add(-1) == 0 && f.Remove != nil {
		f.Remove()
	}
}

// Version is an unchanging list of files.
type Version struct {
	files []*File
	refs  atomic.Int64
}

// Files must not be changed.
func (v *Version) Files() []*File { return v.files }

func (v *Version) tryRef() bool {
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

// Release gives a version back that Acquire returned.
func (v *Version) Release() {
	if v.refs.Add(-1) > 0 {
		return
	}
	for _, f := range v.files {
		f.unref()
	}
}

// Set holds the current version.
type Set struct {
	edits   sync.Mutex // one edit at a time
	current atomic.Pointer[Version]
}

func NewSet() *Set {
	s := &Set{}
	s.install(nil)
	return s
}

// Acquire gives the current version, to be released.
func (s *Set) Acquire() *Version {
	for {
		if v := s.current.Load(); v.tryRef() {
			return v
		}
	}
}

// install wants s.edits held; files also in the current version are alive
// because the current version is.
func (s *Set) install(files []*File) {
	v := &Version{files: files}
	v.refs.Store(1)
	for _, f := range files {
		f.refs.Add(1)
	}
	if old := s.current.Swap(v); old != nil {
		old.Release()
	}
}

// Edit adds new files and takes out others.
func (s *Set) Edit(add []*File, drop ...uint64) {
	s.edits.Lock()
	defer s.edits.Unlock()
	var files []*File
	for _, f := range s.current.Load().files {
		if !slices.Contains(drop, f.Num) {
			files = append(files, f)
		}
	}
	s.install(append(files, add...))
}
