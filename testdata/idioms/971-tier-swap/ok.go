// Package tier moves objects that are not used any more to cheaper storage.
package tier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNotExist is returned for unknown objects, and by Blobs for unknown blobs.
var ErrNotExist = errors.New("tier: does not exist")

// Blobs stores bytes under names. A failed Write leaves nothing behind, and open
// blobs stay readable when removed.
type Blobs interface {
	Write(name string, r io.Reader) error
	Open(name string) (io.ReadCloser, error)
	Remove(name string) error
}

// place is where the bytes of an object are. Blob names are never used twice,
// so two equal places hold the same bytes.
type place struct {
	cold bool
	blob string
}

type object struct {
	at   place
	used time.Time
}

// Store is safe for concurrent use.
type Store struct {
	hot, cold Blobs
	seq       atomic.Uint64

	mu      sync.RWMutex
	objects map[string]object
}

// New returns an empty store.
func New(hot, cold Blobs) *Store {
	return &Store{hot: hot, cold: cold, objects: make(map[string]object)}
}

func (s *Store) blobs(p place) Blobs {
	if p.cold {
		return s.cold
	}
	return s.hot
}

func (s *Store) newPlace(cold bool) place {
	return place{cold: cold, blob: fmt.Sprintf("b%012x", s.seq.Add(1))}
}

// Put stores an object, replacing the former one of that name.
func (s *Store) Put(name string, r io.Reader) error {
	at := s.newPlace(false)
	if err := s.hot.Write(at.blob, r); err != nil {
		return err
	}
	s.mu.Lock()
	old, existed := s.objects[name]
	s.objects[name] = object{at: at, used: time.Now()}
	s.mu.Unlock()
	if existed {
		// What cannot be removed is left to the scrubber.
		_ = s.blobs(old.at).Remove(old.at.blob)
	}
	return nil
}

func (s *Store) locate(name string) (place, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.objects[name]
	if !ok {
		return place{}, ErrNotExist
	}
	return o.at, nil
}

// Open returns the bytes of an object.
func (s *Store) Open(name string) (io.ReadCloser, error) {
	at, err := s.locate(name)
	for err == nil {
		r, openErr := s.blobs(at).Open(at.blob)
		if !errors.Is(openErr, ErrNotExist) {
			return r, openErr
		}
		// It may have been moved or replaced; if not, the blob is missing.
		last := at
		if at, err = s.locate(name); err == nil && at == last {
			return nil, openErr
		}
	}
	return nil, err
}

// Sweep moves what has not been written since limit.
func (s *Store) Sweep(ctx context.Context, limit time.Time) error {
	for name, from := range s.candidates(limit) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.move(name, from); err != nil {
			return fmt.Errorf("tier: move %s: %w", name, err)
		}
	}
	return nil
}

func (s *Store) candidates(limit time.Time) map[string]place {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make(map[string]place)
	for name, o := range s.objects {
		if !o.at.cold && o.used.Before(limit) {
			out[name] = o.at
		}
	}
	return out
}

// move copies the bytes first and switches over if the object is still the one
// that was copied.
func (s *Store) move(name string, from place) error {
	r, err := s.hot.Open(from.blob)
	if errors.Is(err, ErrNotExist) {
		return nil // replaced since
	}
	if err != nil {
		return err
	}
	to := s.newPlace(true)
	err = s.cold.Write(to.blob, r)
	r.Close()
	if err != nil {
		return err
	}
	if !s.swap(name, from, to) {
		return s.cold.Remove(to.blob)
	}
	return s.hot.Remove(from.blob)
}

func (s *Store) swap(name string, from, to place) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.objects[name]
	if !ok || o.at != from {
		return false
	}
	o.at = to
	s.objects[name] = o
	return true
}
