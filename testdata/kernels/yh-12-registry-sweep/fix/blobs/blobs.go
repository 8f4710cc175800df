// Package blobs stores content-addressed layers on disk.
package blobs

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Store is a directory of blobs. It is safe for concurrent use.
type Store struct {
	dir string

	mu       sync.RWMutex
	uploaded map[string]time.Time // digest -> last upload
}

// NewStore returns a store over an empty directory.
func NewStore(dir string) *Store {
	return &Store{dir: dir, uploaded: make(map[string]time.Time)}
}

// Put stores the content and returns its digest.
func (s *Store) Put(data []byte) (string, error) {
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.uploaded[digest]; !ok {
		if err := os.WriteFile(filepath.Join(s.dir, digest), data, 0o644); err != nil {
			return "", err
		}
	}
	s.uploaded[digest] = time.Now()
	return digest, nil
}

// Has reports whether a blob is stored.
func (s *Store) Has(digest string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.uploaded[digest]
	return ok
}

// Get returns the content of a blob.
func (s *Store) Get(digest string) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if _, ok := s.uploaded[digest]; !ok {
		return nil, os.ErrNotExist
	}
	return os.ReadFile(filepath.Join(s.dir, digest))
}

// Digests lists all blobs.
func (s *Store) Digests() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]string, 0, len(s.uploaded))
	for d := range s.uploaded {
		out = append(out, d)
	}
	return out
}

// Expire removes a blob unless it has been uploaded after the given time.
func (s *Store) Expire(digest string, before time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.uploaded[digest]
	if !ok || at.After(before) {
		return false, nil
	}
	if err := os.Remove(filepath.Join(s.dir, digest)); err != nil && !os.IsNotExist(err) {
		return false, err
	}
	delete(s.uploaded, digest)
	return true, nil
}
