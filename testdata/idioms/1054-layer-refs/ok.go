// Package layer stores unpacked image layers with reference counts.
package layer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// ErrNotFound is returned for an unknown chain.
var ErrNotFound = errors.New("layer: not found")

type entry struct {
	chainID string
	dir     string
	refs    int
}

// Store is safe for concurrent use.
type Store struct {
	root string
	seq  atomic.Uint64

	mu     sync.Mutex
	layers map[string]*entry
}

// NewStore returns a store below root, which must be empty.
func NewStore(root string) *Store {
	return &Store{root: root, layers: make(map[string]*entry)}
}

// Ref is one reference to a layer.
type Ref struct {
	store *Store
	entry *entry
	once  sync.Once
}

// Dir is where the layer is unpacked.
func (r *Ref) Dir() string { return r.entry.dir }

func (s *Store) newDir() (string, error) {
	dir := filepath.Join(s.root, fmt.Sprintf("layer-%06d", s.seq.Add(1)))
	return dir, os.Mkdir(dir, 0o700)
}

// Get takes a reference to an existing layer.
func (s *Store) Get(chainID string) (*Ref, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.layers[chainID]
	if e == nil {
		return nil, ErrNotFound
	}
	e.refs++
	return &Ref{store: s, entry: e}, nil
}

// Register takes a reference to a layer and unpacks it when it is missing.
func (s *Store) Register(chainID string, unpack func(dir string) error) (*Ref, error) {
	if r, err := s.Get(chainID); err == nil {
		return r, nil
	}
	dir, err := s.newDir()
	if err != nil {
		return nil, err
	}
	if err := unpack(dir); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}

	s.mu.Lock()
	e := s.layers[chainID]
	if e == nil {
		e = &entry{chainID: chainID, dir: dir}
		s.layers[chainID] = e
	}
	e.refs++
	s.mu.Unlock()

	if e.dir != dir {
		// Another pull was faster.
		os.RemoveAll(dir)
	}
	return &Ref{store: s, entry: e}, nil
}

func (s *Store) deref(e *entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.refs--
	if e.refs > 0 {
		return false
	}
	delete(s.layers, e.chainID)
	return true
}

// Release drops the reference. The last one deletes the files.
func (r *Ref) Release() error {
	var err error
	r.once.Do(func() {
		if r.store.deref(r.entry) {
			err = os.RemoveAll(r.entry.dir)
		}
	})
	return err
}

// Len returns the number of layers.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.layers)
}
