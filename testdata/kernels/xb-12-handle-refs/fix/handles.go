// Package handles shares open table files between queries. A file is open for
// as long as at least one query uses it.
package handles

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// ErrName is returned for a name that is not a plain file name.
var ErrName = errors.New("handles: bad name")

// Blob is an open table file.
type Blob interface {
	io.ReaderAt
	io.Closer
}

// Opener opens the file of a table.
type Opener func(name string) (Blob, error)

// Dir opens table files below a directory.
func Dir(dir string) Opener {
	return func(name string) (Blob, error) {
		if name == "" || name != filepath.Base(name) {
			return nil, ErrName
		}
		return os.Open(filepath.Join(dir, name))
	}
}

// Handle is a share in an open table file.
type Handle struct {
	name  string
	blob  Blob
	set   *Set
	users atomic.Int64
}

// retain adds a user unless the last one has left.
func (h *Handle) retain() bool {
	for {
		n := h.users.Load()
		if n == 0 {
			return false
		}
		if h.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// ReadAt reads from the table file.
func (h *Handle) ReadAt(p []byte, off int64) (int, error) {
	return h.blob.ReadAt(p, off)
}

// Name returns the name the file was opened by.
func (h *Handle) Name() string { return h.name }

// Set holds the open files. It is safe for concurrent use.
type Set struct {
	opener Opener
	files  sync.Map // name -> *Handle
	opened atomic.Int64
}

// NewSet returns a set that opens files with opener.
func NewSet(opener Opener) *Set {
	return &Set{opener: opener}
}

// Acquire returns a handle on the named file, opening it if need be. Each
// handle acquired must be released once.
func (s *Set) Acquire(name string) (*Handle, error) {
	for {
		if v, ok := s.files.Load(name); ok {
			h := v.(*Handle)
			if h.retain() {
				return h, nil
			}
			s.files.CompareAndDelete(name, h)
		}
		blob, err := s.opener(name)
		if err != nil {
			return nil, err
		}
		h := &Handle{name: name, blob: blob, set: s}
		h.users.Store(1)
		if _, loaded := s.files.LoadOrStore(name, h); !loaded {
			s.opened.Add(1)
			return h, nil
		}
		_ = blob.Close()
	}
}

// Release gives the share back; the last one closes the file.
func (h *Handle) Release() error {
	if h.users.Add(-1) > 0 {
		return nil
	}
	h.set.files.CompareAndDelete(h.name, h)
	return h.blob.Close()
}

// With runs fn on the named file.
func (s *Set) With(name string, fn func(*Handle) error) error {
	h, err := s.Acquire(name)
	if err != nil {
		return err
	}
	return errors.Join(fn(h), h.Release())
}

// Opened returns how many files have been opened in total.
func (s *Set) Opened() int64 { return s.opened.Load() }

// Names lists the files that are open.
func (s *Set) Names() []string {
	var names []string
	s.files.Range(func(k, _ any) bool {
		names = append(names, k.(string))
		return true
	})
	return names
}
