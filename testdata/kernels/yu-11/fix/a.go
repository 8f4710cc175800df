package a

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

var ErrMissing = errors.New("artefacts: no such digest")

type Blobs interface {
	Write(digest string, data []byte) error
	Remove(digest string) error
}

type artefact struct {
	digest   string
	size     int64
	refs     int
	lastUsed time.Time
}

// Store keeps build outputs by digest. Builds pin what they depend on,
// everything else is collected after a while.
type Store struct {
	blobs  Blobs
	maxAge time.Duration

	mu    sync.Mutex
	items map[string]*artefact
	bytes int64
}

func NewStore(b Blobs, maxAge time.Duration) *Store {
	return &Store{blobs: b, maxAge: maxAge, items: make(map[string]*artefact)}
}

// Put uploads an artefact.
func (s *Store) Put(digest string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a, ok := s.items[digest]; ok {
		a.lastUsed = time.Now()
		return nil
	}
	if err := s.blobs.Write(digest, data); err != nil {
		return err
	}
	s.items[digest] = &artefact{digest: digest, size: int64(len(data)), lastUsed: time.Now()}
	s.bytes += int64(len(data))
	return nil
}

// Pin keeps the artefact from being collected until Unpin.
func (s *Store) Pin(digest string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.items[digest]
	if !ok {
		return ErrMissing
	}
	a.refs++
	a.lastUsed = time.Now()
	return nil
}

func (s *Store) Unpin(digest string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a, ok := s.items[digest]; ok && a.refs > 0 {
		a.refs--
	}
}

func (s *Store) unusedLocked(a *artefact, now time.Time) bool {
	return a.refs == 0 && now.Sub(a.lastUsed) > s.maxAge
}

func (s *Store) garbage(now time.Time) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for d, a := range s.items {
		if s.unusedLocked(a, now) {
			out = append(out, d)
		}
	}
	return out
}

func (s *Store) remove(digest string, now time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.items[digest]
	if !ok || !s.unusedLocked(a, now) {
		return false, nil
	}
	if err := s.blobs.Remove(digest); err != nil {
		return false, err
	}
	delete(s.items, digest)
	s.bytes -= a.size
	return true, nil
}

// Collect removes the artefacts nobody needs and returns their number.
func (s *Store) Collect(now time.Time) int {
	n := 0
	for _, d := range s.garbage(now) {
		removed, err := s.remove(d, now)
		if err != nil {
			log.Printf("artefacts: remove %s: %v", d, err)
			continue
		}
		if removed {
			n++
		}
	}
	return n
}

// Run collects periodically.
func (s *Store) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			if n := s.Collect(now); n > 0 {
				log.Printf("artefacts: collected %d", n)
			}
		case <-ctx.Done():
			return
		}
	}
}
