// Package cas is the content-addressed blob store of the build cache.
package cas

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// ErrMissing is returned for a blob that is not in the store.
var ErrMissing = errors.New("cas: no such blob")

// Digest is the SHA-256 of a blob and its name in the store.
type Digest [sha256.Size]byte

// Sum returns the digest of data.
func Sum(data []byte) Digest { return sha256.Sum256(data) }

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Store keeps blobs in a directory. Build steps put and get blobs concurrently,
// in this and in other processes. Blobs are not removed while builds are running;
// the janitor works on a directory that no process has open.
type Store struct {
	dir string

	mu    sync.RWMutex
	known map[Digest]struct{} // blobs seen on disk by this process
}

// Open returns the store in dir, which it creates if need be.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o755); err != nil {
		return nil, fmt.Errorf("cas: %w", err)
	}
	return &Store{dir: dir, known: make(map[Digest]struct{})}, nil
}

func (s *Store) path(d Digest) string {
	name := d.String()
	return filepath.Join(s.dir, name[:2], name)
}

func (s *Store) isKnown(d Digest) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.known[d]
	return ok
}

func (s *Store) markKnown(d Digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[d] = struct{}{}
}

// Has reports whether the store has a blob.
func (s *Store) Has(d Digest) (bool, error) {
	if s.isKnown(d) {
		return true, nil
	}
	switch _, err := os.Stat(s.path(d)); {
	case err == nil:
		s.markKnown(d)
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	default:
		return false, fmt.Errorf("cas: %w", err)
	}
}

// Put stores a blob, if the store does not have it, and returns its digest.
func (s *Store) Put(data []byte) (Digest, error) {
	d := Sum(data)
	have, err := s.Has(d)
	if err != nil {
		return d, err
	}
	if have {
		return d, nil
	}
	if err := s.write(d, data); err != nil {
		return d, fmt.Errorf("cas: put %v: %w", d, err)
	}
	s.markKnown(d)
	return d, nil
}

// write puts a complete file in its place under the blob's name.
func (s *Store) write(d Digest, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Join(s.dir, "tmp"), "blob-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	if _, err := io.Copy(tmp, bytes.NewReader(data)); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	dst := s.path(d)
	if err := os.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), dst)
}

// Get returns a blob and checks that it is intact.
func (s *Store) Get(d Digest) ([]byte, error) {
	data, err := os.ReadFile(s.path(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %v", ErrMissing, d)
	}
	if err != nil {
		return nil, fmt.Errorf("cas: %w", err)
	}
	if Sum(data) != d {
		return nil, fmt.Errorf("cas: blob %v is damaged", d)
	}
	s.markKnown(d)
	return data, nil
}

// Missing returns those of the given digests that the store does not have.
func (s *Store) Missing(ds []Digest) ([]Digest, error) {
	var out []Digest
	for _, d := range ds {
		have, err := s.Has(d)
		if err != nil {
			return nil, err
		}
		if !have {
			out = append(out, d)
		}
	}
	return out, nil
}
