// Package docs stores versioned documents and applies edits to them.
package docs

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrMissing  = errors.New("docs: no such document")
	ErrConflict = errors.New("docs: too many conflicts")
)

type Doc struct {
	Title string
	Body  string
	rev   uint64
}

type Store struct {
	mu   sync.RWMutex
	docs map[string]Doc
}

func NewStore() *Store { return &Store{docs: make(map[string]Doc)} }

func (s *Store) Create(id string, d Doc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.docs[id]; ok {
		return false
	}
	d.rev = 1
	s.docs[id] = d
	return true
}

func (s *Store) Get(id string) (Doc, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	d, ok := s.docs[id]
	return d, ok
}

// put stores d if the document is still at the revision d came from.
func (s *Store) put(id string, d Doc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs[id].rev != d.rev {
		return false
	}
	d.rev++
	s.docs[id] = d
	return true
}

// Edit applies fn, which may be slow and may run more than once.
func (s *Store) Edit(ctx context.Context, id string, fn func(context.Context, Doc) (Doc, error)) error {
	const attempts = 8
	for range attempts {
		cur, ok := s.Get(id)
		if !ok {
			return ErrMissing
		}
		next, err := fn(ctx, cur)
		if err != nil {
			return err
		}
		next.rev = cur.rev
		if s.put(id, next) {
			return nil
		}
	}
	return ErrConflict
}

// Append adds text at the end of a document.
func (s *Store) Append(ctx context.Context, id, text string) error {
	return s.Edit(ctx, id, func(_ context.Context, d Doc) (Doc, error) {
		d.Body += text
		return d, nil
	})
}

func (s *Store) Rename(ctx context.Context, id, title string) error {
	return s.Edit(ctx, id, func(_ context.Context, d Doc) (Doc, error) {
		if title == "" {
			return d, errors.New("docs: empty title")
		}
		d.Title = title
		return d, nil
	})
}
