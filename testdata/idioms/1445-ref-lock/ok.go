// Package local is a content store in a directory.
package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrUnavailable is returned if a reference is in use.
var ErrUnavailable = errors.New("unavailable")

type lock struct {
	since time.Time
}

// store is digest-keyed store for content.
type store struct {
	root string

	locksMu sync.Mutex
	locks   map[string]*lock
}

// NewStore returns a local content store.
func NewStore(root string) (*store, error) {
	if err := os.MkdirAll(filepath.Join(root, "ingest"), 0777); err != nil {
		return nil, err
	}
	return &store{root: root, locks: make(map[string]*lock)}, nil
}

func (s *store) tryLock(ref string) error {
	s.locksMu.Lock()
	defer s.locksMu.Unlock()
	if v, ok := s.locks[ref]; ok {
		return fmt.Errorf("ref %s locked since %s: %w", ref, v.since, ErrUnavailable)
	}
	s.locks[ref] = &lock{time.Now()}
	return nil
}

func (s *store) unlock(ref string) {
	s.locksMu.Lock()
	defer s.locksMu.Unlock()
	delete(s.locks, ref)
}

func (s *store) ingestPath(ref string) string {
	return filepath.Join(s.root, "ingest", ref)
}

// writer writes one ingest. It is used by one goroutine.
type writer struct {
	s      *store
	ref    string
	fp     *os.File
	offset int64
	closed bool
}

// Writer begins or resumes the active writer identified by ref.
func (s *store) Writer(ref string) (*writer, error) {
	if err := s.tryLock(ref); err != nil {
		return nil, err
	}
	w, err := s.writer(ref)
	if err != nil {
		s.unlock(ref)
		return nil, err
	}
	return w, nil // lock is now held by w.
}

func (s *store) writer(ref string) (*writer, error) {
	path := s.ingestPath(ref)
	var offset int64
	if fi, err := os.Stat(path); err == nil {
		offset = fi.Size()
	} else if !os.IsNotExist(err) {
		return nil, err
	}
	fp, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0666)
	if err != nil {
		return nil, err
	}
	if _, err := fp.Seek(offset, io.SeekStart); err != nil {
		fp.Close()
		return nil, err
	}
	return &writer{s: s, ref: ref, fp: fp, offset: offset}, nil
}

func (w *writer) Write(p []byte) (int, error) {
	n, err := w.fp.Write(p)
	w.offset += int64(n)
	return n, err
}

// Close gives the reference free. The ingest can be resumed.
func (w *writer) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	err := w.fp.Close()
	w.s.unlock(w.ref)
	return err
}

// Abort removes an ingest that nobody writes.
func (s *store) Abort(ref string) error {
	if err := s.tryLock(ref); err != nil {
		return err
	}
	defer s.unlock(ref)
	return os.Remove(s.ingestPath(ref))
}
