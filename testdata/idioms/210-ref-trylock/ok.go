// Package ok stores content in files by digest.
package ok

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors of the store.
var (
	ErrUnavailable   = errors.New("unavailable")
	ErrAlreadyExists = errors.New("already exists")
)

// fileSystem is the directory of the store; each call is atomic.
type fileSystem interface {
	Size(path string) (int64, bool)
	Append(path string, p []byte) error
	Rename(from, to string) error
	Remove(path string) error
}

type lock struct {
	since time.Time
}

type store struct {
	fs fileSystem

	locksMu sync.Mutex
	locks   map[string]*lock
}

func (s *store) tryLock(ref string) error {
	s.locksMu.Lock()
	defer s.locksMu.Unlock()

	if v, ok := s.locks[ref]; ok {
		// Returning the duration may help developers distinguish dead locks
		// from lock contentions.
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

// Writer begins or resumes the active writer identified by ref.
func (s *store) Writer(ref, digest string) (*writer, error) {
	if err := s.tryLock(ref); err != nil {
		return nil, err
	}
	w, err := s.writer(ref, digest)
	if err != nil {
		s.unlock(ref)
		return nil, err
	}
	return w, nil // lock is now held by w.
}

func (s *store) writer(ref, digest string) (*writer, error) {
	if digest != "" {
		// Content is never removed, so the answer stays true; a false one
		// only costs work, Commit looks again.
		if _, ok := s.fs.Size("blobs/" + digest); ok {
			return nil, fmt.Errorf("content %s: %w", digest, ErrAlreadyExists)
		}
	}
	offset, _ := s.fs.Size("ingest/" + ref)
	return &writer{s: s, ref: ref, offset: offset}, nil
}

// Abort removes an ingest.
func (s *store) Abort(ref string) error {
	if err := s.tryLock(ref); err != nil {
		return err
	}
	defer s.unlock(ref)
	if _, ok := s.fs.Size("ingest/" + ref); !ok {
		return nil
	}
	return s.fs.Remove("ingest/" + ref)
}

// writer is used by one goroutine.
type writer struct {
	s      *store
	ref    string
	offset int64
	closed bool
}

func (w *writer) Write(p []byte) (int, error) {
	if err := w.s.fs.Append("ingest/"+w.ref, p); err != nil {
		return 0, err
	}
	w.offset += int64(len(p))
	return len(p), nil
}

// Commit makes the content visible. Renaming over equal content is harmless.
func (w *writer) Commit(size int64, digest string) error {
	defer w.Close()
	if size > 0 && size != w.offset {
		return fmt.Errorf("unexpected commit size %d, expected %d", w.offset, size)
	}
	if _, ok := w.s.fs.Size("blobs/" + digest); ok {
		return w.s.fs.Remove("ingest/" + w.ref)
	}
	return w.s.fs.Rename("ingest/"+w.ref, "blobs/"+digest)
}

// Close releases the ingest, which may be resumed later.
func (w *writer) Close() {
	if !w.closed {
		w.closed = true
		w.s.unlock(w.ref)
	}
}
