// Package docs stores small documents with optimistic concurrency.
package docs

import (
	"context"
	"errors"
	"maps"
	"sync"
)

// ErrNotFound is returned for a document that does not exist.
var ErrNotFound = errors.New("docs: not found")

// Doc is a document; the zero Doc stands for one that does not exist.
type Doc struct {
	Owner  string
	Labels map[string]string
}

func (d Doc) clone() Doc {
	d.Labels = maps.Clone(d.Labels)
	return d
}

type versioned struct {
	doc Doc
	rev uint64
}

// Store is safe for concurrent use.
type Store struct {
	mu   sync.RWMutex
	rev  uint64 // last revision given out; never reused
	docs map[string]versioned
}

// New returns an empty store.
func New() *Store {
	return &Store{docs: make(map[string]versioned)}
}

// read returns a copy of the document and its revision, 0 if there is none.
func (s *Store) read(name string) (Doc, uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v := s.docs[name]
	return v.doc.clone(), v.rev
}

// write stores doc if the document is still at revision rev.
func (s *Store) write(name string, rev uint64, doc Doc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs[name].rev != rev {
		return false
	}
	s.rev++
	s.docs[name] = versioned{doc: doc.clone(), rev: s.rev}
	return true
}

// Get returns the named document.
func (s *Store) Get(name string) (Doc, error) {
	doc, rev := s.read(name)
	if rev == 0 {
		return Doc{}, ErrNotFound
	}
	return doc, nil
}

// Update replaces the named document by what edit makes of it. edit may take
// its time and may be called more than once; an error from it is returned and
// nothing is stored.
func (s *Store) Update(ctx context.Context, name string, edit func(context.Context, Doc) (Doc, error)) error {
	for {
		doc, rev := s.read(name)
		next, err := edit(ctx, doc)
		if err != nil {
			return err
		}
		if s.write(name, rev, next) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// SetLabel sets one label and leaves the others alone.
func (s *Store) SetLabel(ctx context.Context, name, key, value string) error {
	return s.Update(ctx, name, func(_ context.Context, d Doc) (Doc, error) {
		if d.Labels == nil {
			d.Labels = make(map[string]string)
		}
		d.Labels[key] = value
		return d, nil
	})
}

// Claim makes owner the owner of a document nobody owns and reports whether it
// is the owner now.
func (s *Store) Claim(ctx context.Context, name, owner string) (bool, error) {
	var mine bool
	err := s.Update(ctx, name, func(_ context.Context, d Doc) (Doc, error) {
		if d.Owner == "" {
			d.Owner = owner
		}
		mine = d.Owner == owner
		return d, nil
	})
	return mine && err == nil, err
}

// Delete removes the named document.
func (s *Store) Delete(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.docs[name]; !ok {
		return ErrNotFound
	}
	delete(s.docs, name)
	return nil
}
