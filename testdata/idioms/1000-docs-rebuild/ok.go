// Package docsearch searches the documentation of the packages in a registry.
// The index is rebuilt as a whole from the registry's database.
package docsearch

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Page is one page of documentation. The same page may be listed more than
// once, for instance under the old name of a package; the first one counts.
type Page struct {
	ID    string
	Title string
	Body  string
}

// Database lists the pages in order of preference.
type Database interface {
	Pages(ctx context.Context) ([]Page, error)
}

// index maps words to pages. Its methods lock, which costs little next to the
// splitting into words.
type index struct {
	mu    sync.RWMutex
	pages map[string]Page
	words map[string][]string
}

func newIndex() *index {
	return &index{pages: make(map[string]Page), words: make(map[string][]string)}
}

func (ix *index) has(id string) bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	_, ok := ix.pages[id]
	return ok
}

func (ix *index) add(p Page) {
	ws := strings.Fields(strings.ToLower(p.Title + " " + p.Body))
	slices.Sort(ws)
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.pages[p.ID] = p
	for _, w := range slices.Compact(ws) {
		ix.words[w] = append(ix.words[w], p.ID)
	}
}

func (ix *index) size() int {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return len(ix.pages)
}

func (ix *index) find(word string) []Page {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var out []Page
	for _, id := range ix.words[strings.ToLower(word)] {
		out = append(out, ix.pages[id])
	}
	return out
}

// Service answers searches while the index is rebuilt now and then. It is safe
// for concurrent use.
type Service struct {
	db       Database
	rebuild  sync.Mutex
	current  atomic.Pointer[index]
	rebuilds atomic.Int64
}

// NewService returns a service with an empty index.
func NewService(db Database) *Service {
	s := &Service{db: db}
	s.current.Store(newIndex())
	return s
}

// Rebuild replaces the index by a new one. It is called periodically and from
// the admin page.
func (s *Service) Rebuild(ctx context.Context) error {
	s.rebuild.Lock()
	defer s.rebuild.Unlock()
	pages, err := s.db.Pages(ctx)
	if err != nil {
		return err
	}
	next := newIndex()
	for _, p := range pages {
		if !next.has(p.ID) {
			next.add(p)
		}
	}
	before := s.current.Load().size()
	if after := next.size(); after < before/2 {
		slog.Warn("docsearch: index has shrunk", "before", before, "after", after)
	}
	s.current.Store(next)
	s.rebuilds.Add(1)
	return nil
}

// Search returns the pages that contain a word.
func (s *Service) Search(word string) []Page {
	return s.current.Load().find(word)
}

// Stats returns the number of rebuilds so far.
func (s *Service) Stats() int64 { return s.rebuilds.Load() }

// Run rebuilds in the background until ctx is done.
func (s *Service) Run(ctx context.Context, every time.Duration) {
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			if err := s.Rebuild(ctx); err != nil {
				slog.Error("docsearch: rebuild failed", "err", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
}
