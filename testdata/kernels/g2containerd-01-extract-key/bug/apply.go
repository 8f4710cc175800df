// Package bug extracts the layers of an image into snapshots.
package bug

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"sync"
)

var (
	errNotFound = errors.New("not found")
	errExists   = errors.New("already exists")
)

// Layer is one layer; DiffID is the digest of its content.
type Layer struct {
	Blob   string
	DiffID string
}

type node struct {
	parent string
	active bool
	files  map[string]string
}

// Store holds snapshots, active ones under a key and committed ones under a name.
type Store struct {
	mu    sync.Mutex
	nodes map[string]*node
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{nodes: make(map[string]*node)} }

// Stat fails if there is no snapshot of that name.
func (s *Store) Stat(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.nodes[name]
	if !ok || n.active {
		return fmt.Errorf("snapshot %s: %w", name, errNotFound)
	}
	return nil
}

// Prepare makes an active snapshot and returns its files to be filled in by the
// owner of the key.
func (s *Store) Prepare(key, parent string) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.nodes[key]; ok {
		return nil, fmt.Errorf("snapshot %s: %w", key, errExists)
	}
	files := make(map[string]string)
	if parent != "" {
		p, ok := s.nodes[parent]
		if !ok || p.active {
			return nil, fmt.Errorf("parent %s: %w", parent, errNotFound)
		}
		for k, v := range p.files {
			files[k] = v
		}
	}
	s.nodes[key] = &node{parent: parent, active: true, files: files}
	return files, nil
}

// Commit gives an active snapshot its name.
func (s *Store) Commit(name, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.nodes[key]
	if !ok || !n.active {
		return fmt.Errorf("snapshot %s: %w", key, errNotFound)
	}
	if _, ok := s.nodes[name]; ok {
		return fmt.Errorf("snapshot %s: %w", name, errExists)
	}
	delete(s.nodes, key)
	s.nodes[name] = &node{parent: n.parent, files: n.files}
	return nil
}

// Remove deletes a snapshot.
func (s *Store) Remove(key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.nodes[key]; !ok {
		return fmt.Errorf("snapshot %s: %w", key, errNotFound)
	}
	delete(s.nodes, key)
	return nil
}

// Applier writes the content of a blob into files and returns its digest.
type Applier interface {
	Apply(ctx context.Context, blob string, files map[string]string) (string, error)
}

// Extractor is shared by all pulls.
type Extractor struct {
	store *Store
	apply Applier
}

// NewExtractor returns an extractor.
func NewExtractor(s *Store, a Applier) *Extractor { return &Extractor{store: s, apply: a} }

func chainID(parent, diff string) string {
	if parent == "" {
		return diff
	}
	sum := sha256.Sum256([]byte(parent + " " + diff))
	return hex.EncodeToString(sum[:])
}

// Image extracts all layers of an image and returns the name of the topmost.
func (x *Extractor) Image(ctx context.Context, layers []Layer) (string, error) {
	parent := ""
	for _, l := range layers {
		fresh, err := x.Layer(ctx, l, parent)
		if err != nil {
			return "", fmt.Errorf("layer %s: %w", l.DiffID, err)
		}
		if fresh {
			log.Printf("extracted %s", l.DiffID)
		}
		parent = chainID(parent, l.DiffID)
	}
	return parent, nil
}

// Layer extracts one layer and reports whether there was something to do.
func (x *Extractor) Layer(ctx context.Context, l Layer, parent string) (fresh bool, err error) {
	chain := chainID(parent, l.DiffID)

	err = x.store.Stat(chain)
	if err == nil {
		return false, nil
	} else if !errors.Is(err, errNotFound) {
		return false, fmt.Errorf("stat: %w", err)
	}

	key := fmt.Sprintf("extract %s", chain)

	files, err := x.store.Prepare(key, parent)
	if err != nil {
		return false, fmt.Errorf("prepare: %w", err)
	}
	defer func() {
		if err != nil {
			if rerr := x.store.Remove(key); rerr != nil {
				log.Printf("cleanup of %s: %v", key, rerr)
			}
		}
	}()

	digest, err := x.apply.Apply(ctx, l.Blob, files)
	if err != nil {
		return false, fmt.Errorf("extract: %w", err)
	}
	if digest != l.DiffID {
		err = fmt.Errorf("wrong digest %s", digest)
		return false, err
	}

	if err = x.store.Commit(chain, key); err != nil {
		return false, fmt.Errorf("commit: %w", err)
	}
	return true, nil
}
