// Package chunkstore is the server side of a file sync service. Files are cut
// into chunks which are stored under their SHA-256; a file is the list of the
// sums of its chunks. Chunks are never removed while the server runs.
package chunkstore

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// ErrMissing is returned for a file with chunks that have not been uploaded.
var ErrMissing = errors.New("chunkstore: chunks are missing")

// Sum is the name of a chunk.
type Sum [sha256.Size]byte

func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// Store keeps chunks in a directory. It is safe for concurrent use.
type Store struct {
	dir string

	mu    sync.RWMutex
	sizes map[Sum]int64 // of the chunks in dir
}

// Open opens the store in dir.
func Open(dir string) (*Store, error) {
	s := &Store{dir: dir, sizes: make(map[Sum]int64)}
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := hex.DecodeString(d.Name())
		if err != nil || len(raw) != sha256.Size {
			return nil // left over from an upload
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		s.sizes[Sum(raw)] = info.Size()
		return nil
	})
	return s, err
}

func (s *Store) path(sum Sum) string {
	name := sum.String()
	return filepath.Join(s.dir, name[:2], name)
}

// Has reports whether a chunk is in the store.
func (s *Store) Has(sum Sum) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.sizes[sum]
	return ok
}

// Put stores a chunk and returns its sum.
func (s *Store) Put(data []byte) (Sum, error) {
	sum := Sum(sha256.Sum256(data))
	if s.Has(sum) {
		return sum, nil
	}
	if err := s.write(s.path(sum), data); err != nil {
		return Sum{}, fmt.Errorf("chunkstore: %w", err)
	}
	s.add(sum, int64(len(data)))
	return sum, nil
}

// write creates the file of a chunk in one step.
func (s *Store) write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(s.dir, "upload-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

func (s *Store) add(sum Sum, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes[sum] = size
}

// Get returns the content of a chunk.
func (s *Store) Get(sum Sum) ([]byte, error) {
	if !s.Has(sum) {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(s.path(sum))
}

// Missing returns those of the sums that have to be uploaded.
func (s *Store) Missing(sums []Sum) []Sum {
	var out []Sum
	for _, sum := range sums {
		if !s.Has(sum) && !slices.Contains(out, sum) {
			out = append(out, sum)
		}
	}
	return out
}

// Usage returns the number of chunks and their size.
func (s *Store) Usage() (chunks int, bytes int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, n := range s.sizes {
		bytes += n
	}
	return len(s.sizes), bytes
}

// Tree maps the paths of a synced folder to their chunks. It is safe for
// concurrent use.
type Tree struct {
	store *Store

	mu    sync.RWMutex
	files map[string][]Sum
}

// NewTree returns an empty tree over store.
func NewTree(store *Store) *Tree {
	return &Tree{store: store, files: make(map[string][]Sum)}
}

// Commit sets the content of a file, all chunks of which must be stored.
func (t *Tree) Commit(path string, sums []Sum) error {
	if len(t.store.Missing(sums)) > 0 {
		return ErrMissing
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files[path] = slices.Clone(sums)
	return nil
}

// Lookup returns the chunks of a file.
func (t *Tree) Lookup(path string) ([]Sum, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	sums, ok := t.files[path]
	return slices.Clone(sums), ok
}
