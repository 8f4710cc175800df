package upload

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// ErrCorrupt says that the store has lost a file. The operator is to restore
// it from the backup.
var ErrCorrupt = errors.New("upload: store is corrupt")

// Store keeps uploaded files, equal ones only once, and never forgets any.
type Store struct {
	names names
	blobs blobs
}

func NewStore() *Store {
	return &Store{
		names: names{m: make(map[string]digest)},
		blobs: blobs{data: make(map[digest][]byte)},
	}
}

// Put files what it reads from r under name.
func (s *Store) Put(name string, r io.Reader) (size int, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return 0, fmt.Errorf("upload %s: %w", name, err)
	}
	d := digest(sha256.Sum256(data))
	s.names.set(name, d)
	s.blobs.put(d, data)
	return len(data), nil
}

// Open returns the file of that name.
func (s *Store) Open(name string) (io.ReadSeeker, error) {
	d, ok := s.names.lookup(name)
	if !ok {
		return nil, fs.ErrNotExist
	}
	data, ok := s.blobs.get(d)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrCorrupt, name)
	}
	return bytes.NewReader(data), nil
}
