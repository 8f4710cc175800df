package a

import (
	"io"
	"sync"
	"sync/atomic"
)

// File is an immutable data file. Callers of Open hold a reference until Close.
type File struct {
	src interface {
		io.ReaderAt
		io.Closer
	}
	refs atomic.Int64
}

// ReadAt reads from the file.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	return f.src.ReadAt(p, off)
}

// Close gives up the reference.
func (f *File) Close() error {
	if f.refs.Add(-1) == 0 {
		return f.src.Close()
	}
	return nil
}

func (f *File) acquire() bool {
	for {
		n := f.refs.Load()
		if n == 0 {
			return false
		}
		if f.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// FileStore holds the current file of each shard.
type FileStore struct {
	mu    sync.RWMutex
	files map[string]*File
	swaps int
}

// NewFileStore returns an empty store.
func NewFileStore() *FileStore {
	return &FileStore{files: make(map[string]*File)}
}

// Open returns the current file of the shard.
func (s *FileStore) Open(shard string) (*File, bool) {
	for {
		f := s.current(shard)
		if f == nil {
			return nil, false
		}
		if f.acquire() {
			return f, true
		}
	}
}

// Replace makes src the file of the shard; nil removes the shard.
func (s *FileStore) Replace(shard string, src interface {
	io.ReaderAt
	io.Closer
}) error {
	var next *File
	if src != nil {
		next = &File{src: src}
		next.refs.Store(1)
	}

	s.mu.Lock()
	old := s.files[shard]
	if next != nil {
		s.files[shard] = next
	} else {
		delete(s.files, shard)
	}
	s.swaps++
	s.mu.Unlock()

	if old != nil {
		return old.Close()
	}
	return nil
}

func (s *FileStore) current(shard string) *File {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.files[shard]
}
