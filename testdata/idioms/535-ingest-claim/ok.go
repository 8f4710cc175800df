// Package ok receives blobs under references of the clients.
package ok

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errExists = errors.New("already exists")
	errHeld   = errors.New("reference is in use")
)

type claim struct {
	since time.Time
}

type part struct {
	data    []byte
	updated time.Time
}

// Store keeps blobs and what was received so far.
type Store struct {
	claimMu sync.Mutex
	claims  map[string]*claim

	mu    sync.RWMutex
	blobs map[string][]byte
	parts map[string]*part
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{claims: make(map[string]*claim), blobs: make(map[string][]byte), parts: make(map[string]*part)}
}

func (s *Store) tryClaim(ref string) error {
	s.claimMu.Lock()
	defer s.claimMu.Unlock()
	if c, ok := s.claims[ref]; ok {
		return fmt.Errorf("%s since %s: %w", ref, c.since.Format(time.RFC3339), errHeld)
	}
	s.claims[ref] = &claim{since: time.Now()}
	return nil
}

func (s *Store) release(ref string) {
	s.claimMu.Lock()
	defer s.claimMu.Unlock()
	delete(s.claims, ref)
}

func (s *Store) part(ref string) *part {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.parts[ref]
}

func (s *Store) setPart(ref string, p *part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p == nil {
		delete(s.parts, ref)
		return
	}
	s.parts[ref] = p
}

// Has reports whether a blob is complete.
func (s *Store) Has(digest string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.blobs[digest]
	return ok
}

// Writer receives one blob; it is used by one goroutine.
type Writer struct {
	s      *Store
	ref    string
	part   *part
	closed bool
}

// Writer resumes or starts a transfer. Parts of a reference are only touched by
// the holder of its claim.
func (s *Store) Writer(ref, digest string) (*Writer, error) {
	if err := s.tryClaim(ref); err != nil {
		return nil, err
	}
	if digest != "" && s.Has(digest) {
		s.release(ref)
		return nil, fmt.Errorf("blob %s: %w", digest, errExists)
	}
	p := s.part(ref)
	if p == nil {
		p = &part{updated: time.Now()}
		s.setPart(ref, p)
	}
	return &Writer{s: s, ref: ref, part: p}, nil
}

// Offset tells where to go on.
func (w *Writer) Offset() int { return len(w.part.data) }

// Write appends.
func (w *Writer) Write(b []byte) (int, error) {
	n := &part{data: append(append([]byte(nil), w.part.data...), b...), updated: time.Now()}
	w.s.setPart(w.ref, n)
	w.part = n
	return len(b), nil
}

// Commit makes the blob visible. That it is there already is not an error of
// the content, the caller is told.
func (w *Writer) Commit(digest string) error {
	data := w.part.data
	w.s.mu.Lock()
	_, dup := w.s.blobs[digest]
	if !dup {
		w.s.blobs[digest] = data
	}
	delete(w.s.parts, w.ref)
	w.s.mu.Unlock()
	w.Close()
	if dup {
		return fmt.Errorf("blob %s: %w", digest, errExists)
	}
	return nil
}

// Close gives the reference up; the part stays.
func (w *Writer) Close() {
	if w.closed {
		return
	}
	w.closed = true
	w.s.release(w.ref)
}

// Abort forgets a part that nobody is writing.
func (s *Store) Abort(ref string) error {
	if err := s.tryClaim(ref); err != nil {
		return err
	}
	defer s.release(ref)
	if s.part(ref) != nil {
		s.setPart(ref, nil)
	}
	return nil
}
