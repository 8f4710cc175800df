package docs

import (
	"errors"
	"hash/maphash"
	"sync"
)

const shards = 16

var ErrConflict = errors.New("docs: revision conflict")

var seed = maphash.MakeSeed()

type shard struct {
	sync.RWMutex
	text map[string]string
	rev  map[string]int
}

// Store keeps texts with optimistic concurrency by revision.
type Store struct{ parts [shards]shard }

func New() *Store {
	s := new(Store)
	for i := range s.parts {
		s.parts[i].text = map[string]string{}
		s.parts[i].rev = map[string]int{}
	}
	return s
}

func (s *Store) of(id string) *shard {
	return &s.parts[maphash.String(seed, id)%shards]
}

// Save stores text if the caller has seen the latest revision.
func (s *Store) Save(id, text string, seen int) (int, error) {
	p := s.of(id)
	p.Lock()
	defer p.Unlock()
	if p.rev[id] != seen {
		return 0, ErrConflict
	}
	p.text[id] = text
	p.rev[id]++
	return p.rev[id], nil
}

// Exists reports whether the document was ever saved.
func (s *Store) Exists(id string) bool {
	p := s.of(id)
	p.RLock()
	defer p.RUnlock()
	_, ok := p.text[id]
	return ok
}

// Edit applies fn to the text until it is saved without a conflict.
func (s *Store) Edit(id string, fn func(string) string) (int, error) {
	for range 8 {
		p := s.of(id)
		p.RLock()
		old := p.text[id]
		p.RUnlock()

		p.RLock()
		seen := p.rev[id]
		p.RUnlock()

		rev, err := s.Save(id, fn(old), seen)
		if !errors.Is(err, ErrConflict) {
			return rev, err
		}
	}
	return 0, ErrConflict
}
