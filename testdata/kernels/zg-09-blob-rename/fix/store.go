// Package cas is a content-addressed store. Names refer to blobs by digest;
// blobs without a name are collected in the background.
package cas

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrNotFound is returned for a name that does not exist.
var ErrNotFound = errors.New("cas: not found")

// Digest is the SHA-256 of a blob in hex.
type Digest string

// Store is safe for concurrent use.
type Store struct {
	dir  string
	stop chan struct{}
	done chan struct{}

	mu    sync.Mutex
	names map[string]Digest
	refs  map[Digest]int // a blob on disk has an entry, even with no name left
}

// Open returns a store that keeps its blobs in dir, which has to be empty, and
// collects garbage at the given interval.
func Open(dir string, every time.Duration) *Store {
	s := &Store{
		dir:   dir,
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
		names: make(map[string]Digest),
		refs:  make(map[Digest]int),
	}
	go s.collector(every)
	return s
}

func (s *Store) path(d Digest) string { return filepath.Join(s.dir, string(d)) }

// Put stores data under name, replacing what the name referred to.
func (s *Store) Put(name string, data []byte) (Digest, error) {
	sum := sha256.Sum256(data)
	d := Digest(hex.EncodeToString(sum[:]))
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.refs[d]; !ok {
		if err := os.WriteFile(s.path(d), data, 0o644); err != nil {
			os.Remove(s.path(d))
			return "", err
		}
	}
	s.link(name, d)
	return d, nil
}

// link makes name refer to d. The caller holds s.mu.
func (s *Store) link(name string, d Digest) {
	s.refs[d]++
	if old, ok := s.names[name]; ok {
		s.refs[old]--
	}
	s.names[name] = d
}

// unlink removes name. The caller holds s.mu.
func (s *Store) unlink(name string) (Digest, error) {
	d, ok := s.names[name]
	if !ok {
		return "", fmt.Errorf("%w: %s", ErrNotFound, name)
	}
	delete(s.names, name)
	s.refs[d]--
	return d, nil
}

// Get reads the blob that name refers to.
func (s *Store) Get(name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.names[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, name)
	}
	return os.ReadFile(s.path(d))
}

// Remove deletes a name.
func (s *Store) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.unlink(name)
	return err
}

// Link gives a blob that is already stored one more name.
func (s *Store) Link(name string, d Digest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.refs[d]; !ok {
		return fmt.Errorf("%w: blob %s", ErrNotFound, d)
	}
	s.link(name, d)
	return nil
}

// Rename moves a blob to another name, replacing what was there.
func (s *Store) Rename(from, to string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.unlink(from)
	if err != nil {
		return err
	}
	s.link(to, d)
	return nil
}

// List returns the names with the given prefix.
func (s *Store) List(prefix string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for n := range s.names {
		if strings.HasPrefix(n, prefix) {
			out = append(out, n)
		}
	}
	return out
}

func (s *Store) collector(every time.Duration) {
	defer close(s.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
			s.collect()
		}
	}
}

// collect removes the blobs that have no name.
func (s *Store) collect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for d, n := range s.refs {
		if n > 0 {
			continue
		}
		if err := os.Remove(s.path(d)); err == nil || errors.Is(err, os.ErrNotExist) {
			delete(s.refs, d)
		}
	}
}

// Close ends the collection; it is to be called once.
func (s *Store) Close() {
	close(s.stop)
	<-s.done
}
