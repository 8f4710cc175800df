// Package replicate brings a list of remote documents up to date.
package replicate

import (
	"context"
	"fmt"
	"sync"
)

type doc struct {
	name string
	rev  int64
}

// index has its own lock so that the status page does not wait for a run.
type index struct {
	mu   sync.Mutex
	docs []doc
}

func (x *index) find(name string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.docs {
		if x.docs[i].name == name {
			return i
		}
	}
	return -1
}

func (x *index) add(name string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.docs = append(x.docs, doc{name: name})
	return len(x.docs) - 1
}

func (x *index) rev(i int) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.docs[i].rev
}

func (x *index) setRev(i int, rev int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.docs[i].rev = rev
}

func (x *index) remove(i int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.docs = append(x.docs[:i], x.docs[i+1:]...)
}

func (x *index) snapshot() map[string]int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := make(map[string]int64, len(x.docs))
	for _, d := range x.docs {
		out[d.name] = d.rev
	}
	return out
}

// Target receives the documents.
type Target interface {
	Write(ctx context.Context, name string, rev int64, body []byte) error
	Delete(ctx context.Context, name string) error
}

// Syncer writes changed documents to the target.
type Syncer struct {
	target Target

	mu    sync.Mutex // one run at a time
	index index
}

func New(t Target) *Syncer { return &Syncer{target: t} }

// Apply writes a document unless the target has this revision or a newer one.
func (s *Syncer) Apply(ctx context.Context, name string, rev int64, body []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	i := s.index.find(name)
	if i < 0 {
		i = s.index.add(name)
	}
	if s.index.rev(i) >= rev {
		return nil
	}
	if err := s.target.Write(ctx, name, rev, body); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	s.index.setRev(i, rev)
	return nil
}

// Forget deletes a document at the target.
func (s *Syncer) Forget(ctx context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	i := s.index.find(name)
	if i < 0 {
		return nil
	}
	if err := s.target.Delete(ctx, name); err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	s.index.remove(i)
	return nil
}

// Status returns the revisions at the target.
func (s *Syncer) Status() map[string]int64 { return s.index.snapshot() }
