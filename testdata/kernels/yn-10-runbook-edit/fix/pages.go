package fix

import (
	"errors"
	"slices"
	"sync"
)

var (
	ErrNoPage   = errors.New("pages: no such page")
	ErrConflict = errors.New("pages: page was changed")
)

// Page is a runbook. Rev is the revision it was read at.
type Page struct {
	ID     string
	Rev    uint64
	Author string
	Steps  []string
}

func (p Page) clone() Page {
	p.Steps = slices.Clone(p.Steps)
	return p
}

// Pages is the store of pages, with a revision for each.
type Pages struct {
	mu    sync.RWMutex
	pages map[string]Page
}

func NewPages() *Pages {
	return &Pages{pages: make(map[string]Page)}
}

// Create enters a page.
func (s *Pages) Create(p Page) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.pages[p.ID]; ok {
		return ErrConflict
	}
	p = p.clone()
	p.Rev = 1
	s.pages[p.ID] = p
	return nil
}

// Get returns a copy of a page.
func (s *Pages) Get(id string) (Page, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p, ok := s.pages[id]
	if !ok {
		return Page{}, ErrNoPage
	}
	return p.clone(), nil
}

// Head is the revision of a page, 0 if there is none.
func (s *Pages) Head(id string) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.pages[id].Rev
}

// PutIf writes a page if the stored one still has revision rev.
func (s *Pages) PutIf(p Page, rev uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	cur, ok := s.pages[p.ID]
	if !ok {
		return ErrNoPage
	}
	if cur.Rev != rev {
		return ErrConflict
	}
	p = p.clone()
	p.Rev = rev + 1
	s.pages[p.ID] = p
	return nil
}
