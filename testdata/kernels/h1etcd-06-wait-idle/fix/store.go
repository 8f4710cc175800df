package taskq

import (
	"context"
	"sync"
)

// Store keeps documents with the revision at which they were written. Old
// revisions are removed by tasks.
type Store struct {
	q *Queue

	mu    sync.RWMutex
	rev   int64
	floor int64               // revisions below are removed, or will be
	docs  map[string][]docRev // oldest first
}

type docRev struct {
	rev  int64
	body string
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{q: NewQueue(), docs: make(map[string][]docRev)}
}

// Put writes a document and returns the revision of the store.
func (s *Store) Put(name, body string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rev++
	s.docs[name] = append(s.docs[name], docRev{s.rev, body})
	return s.rev
}

// Get returns the document as it was at the revision rev.
func (s *Store) Get(name string, rev int64) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if rev < s.floor {
		return "", false
	}
	revs := s.docs[name]
	for i := len(revs) - 1; i >= 0; i-- {
		if revs[i].rev <= rev {
			return revs[i].body, true
		}
	}
	return "", false
}

// Trim removes what is not needed for the revisions from rev on. It returns
// when the removal has been scheduled.
func (s *Store) Trim(rev int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rev <= s.floor || rev > s.rev {
		return nil
	}
	if _, err := s.q.Add(func(ctx context.Context) { s.trim(ctx, rev) }); err != nil {
		return err
	}
	s.floor = rev
	return nil
}

func (s *Store) trim(ctx context.Context, rev int64) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, revs := range s.docs {
		keep := 0
		for i := range revs {
			if revs[i].rev <= rev {
				keep = i
			}
		}
		s.docs[name] = append([]docRev(nil), revs[keep:]...)
	}
}

// TrimAll removes all old revisions and returns when they are gone.
func (s *Store) TrimAll() error {
	var rev int64
	s.mu.Lock()
	rev = s.rev
	n, err := s.q.Add(func(ctx context.Context) { s.trim(ctx, rev) })
	if err == nil {
		s.floor = rev
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	s.q.WaitFinish(n)
	return nil
}

// Close ends the store.
func (s *Store) Close() {
	s.q.Stop()
}
