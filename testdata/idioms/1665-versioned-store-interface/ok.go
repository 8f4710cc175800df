package a

import (
	"errors"
	"fmt"
	"sync"
)

var errConflict = errors.New("freezer: record was changed")

type box struct {
	used, size int
}

type records interface {
	load(id string) (box, uint64)
	save(id string, b box, seen uint64) error
}

type entry struct {
	b   box
	ver uint64
}

type memory struct {
	mu sync.Mutex
	m  map[string]entry
}

func (s *memory) load(id string) (box, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.m[id]
	return e.b, e.ver
}

func (s *memory) save(id string, b box, seen uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.m[id]; e.ver != seen {
		return fmt.Errorf("%w: %s", errConflict, id)
	}
	s.m[id] = entry{b: b, ver: seen + 1}
	return nil
}

// Freezer keeps the samples of a laboratory.
type Freezer struct {
	recs records
}

func NewFreezer() *Freezer {
	return &Freezer{recs: &memory{m: make(map[string]entry)}}
}

func (f *Freezer) change(id string, fn func(b *box) bool) bool {
	for {
		b, ver := f.recs.load(id)
		if !fn(&b) {
			return false
		}
		err := f.recs.save(id, b, ver)
		if errors.Is(err, errConflict) {
			continue
		}
		return err == nil
	}
}

// Install puts in an empty box.
func (f *Freezer) Install(id string, size int) bool {
	return f.change(id, func(b *box) bool {
		if b.size != 0 {
			return false
		}
		b.size = size
		return true
	})
}

// Store puts n vials in the box if they fit.
func (f *Freezer) Store(id string, n int) bool {
	return f.change(id, func(b *box) bool {
		if b.used+n > b.size {
			return false
		}
		b.used += n
		return true
	})
}

// Used tells how many vials the box has.
func (f *Freezer) Used(id string) int {
	b, _ := f.recs.load(id)
	return b.used
}
