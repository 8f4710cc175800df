package local

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errUnavailable = errors.New("unavailable")
	errExists      = errors.New("already exists")
)

type lock struct {
	since time.Time
}

type store struct {
	locksMu sync.Mutex
	locks   map[string]*lock

	mu      sync.RWMutex
	ingests map[string][]byte
	blobs   map[string][]byte
}

func newStore() *store {
	return &store{
		locks:   make(map[string]*lock),
		ingests: make(map[string][]byte),
		blobs:   make(map[string][]byte),
	}
}

func (s *store) tryLock(ref string) error {
	s.locksMu.Lock()
	defer s.locksMu.Unlock()
	if v, ok := s.locks[ref]; ok {
		return fmt.Errorf("ref %s locked since %s: %w", ref, v.since, errUnavailable)
	}
	s.locks[ref] = &lock{time.Now()}
	return nil
}

func (s *store) unlock(ref string) {
	s.locksMu.Lock()
	defer s.locksMu.Unlock()
	delete(s.locks, ref)
}

type writer struct {
	s      *store
	ref    string
	closed bool
}

// Writer opens the ingest of ref; the writer holds the lock of ref.
func (s *store) Writer(ref string) (*writer, error) {
	if ref == "" {
		return nil, errors.New("ref must not be empty")
	}
	if err := s.tryLock(ref); err != nil {
		return nil, err
	}
	if err := s.prepare(ref); err != nil {
		s.unlock(ref)
		return nil, err
	}
	return &writer{s: s, ref: ref}, nil
}

func (s *store) prepare(ref string) error {
	s.mu.RLock()
	_, started := s.ingests[ref]
	s.mu.RUnlock()
	if started {
		return nil
	}
	s.mu.Lock()
	s.ingests[ref] = []byte{}
	s.mu.Unlock()
	return nil
}

func (w *writer) Write(p []byte) (int, error) {
	w.s.mu.RLock()
	data := w.s.ingests[w.ref]
	w.s.mu.RUnlock()
	next := make([]byte, 0, len(data)+len(p))
	next = append(append(next, data...), p...)
	w.s.mu.Lock()
	w.s.ingests[w.ref] = next
	w.s.mu.Unlock()
	return len(p), nil
}

func (w *writer) Commit(digest string) error {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	if _, ok := w.s.blobs[digest]; ok {
		return errExists
	}
	w.s.blobs[digest] = w.s.ingests[w.ref]
	delete(w.s.ingests, w.ref)
	return nil
}

func (w *writer) Close() {
	if !w.closed {
		w.closed = true
		w.s.unlock(w.ref)
	}
}
