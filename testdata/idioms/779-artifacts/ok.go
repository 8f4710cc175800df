// Package artifacts stores build outputs by the hash of their content.
package artifacts

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"sync"
)

// ErrNotFound is returned for content that is not stored.
var ErrNotFound = errors.New("artifacts: not found")

// Digest is the SHA-256 of some content.
type Digest [sha256.Size]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// ParseDigest is the reverse of String.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	b, err := hex.DecodeString(s)
	if err != nil {
		return d, err
	}
	if len(b) != len(d) {
		return d, errors.New("artifacts: digest has the wrong length")
	}
	copy(d[:], b)
	return d, nil
}

// Store keeps compressed content in memory.
type Store struct {
	mu    sync.RWMutex
	blobs map[Digest][]byte
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{blobs: make(map[Digest][]byte)}
}

// Has reports whether the content is stored.
func (s *Store) Has(d Digest) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.blobs[d]
	return ok
}

// Put stores content and returns its digest.
func (s *Store) Put(content []byte) (Digest, error) {
	d := Digest(sha256.Sum256(content))
	if s.Has(d) {
		return d, nil
	}
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	if _, err := zw.Write(content); err != nil {
		return d, err
	}
	if err := zw.Close(); err != nil {
		return d, err
	}
	s.mu.Lock()
	s.blobs[d] = buf.Bytes()
	s.mu.Unlock()
	return d, nil
}

// Get returns the content with the given digest.
func (s *Store) Get(d Digest) ([]byte, error) {
	s.mu.RLock()
	packed, ok := s.blobs[d]
	s.mu.RUnlock()
	if !ok {
		return nil, ErrNotFound
	}
	zr, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zr)
}

// Usage returns the number of blobs and their compressed size.
func (s *Store) Usage() (blobs int, size int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, b := range s.blobs {
		size += int64(len(b))
	}
	return len(s.blobs), size
}

// ServeHTTP handles POST / and GET /{digest}.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		d, err := s.Put(content)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, d.String())
	case http.MethodGet:
		d, err := ParseDigest(r.PathValue("digest"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		content, err := s.Get(d)
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		_, _ = w.Write(content)
	default:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}
