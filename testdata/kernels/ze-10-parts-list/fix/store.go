// Package parts is the stock list of a repair shop. Terminals list a shelf
// and then follow its changes.
package parts

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"
)

// ErrCompacted says that the changes from the wanted revision on are no
// longer kept.
var ErrCompacted = errors.New("parts: revision has been compacted")

// Part is an entry of the list. Rev is the revision of its last change.
type Part struct {
	Key string
	Qty int
	Rev int64
}

// Change is one step of the list's history. Qty 0 with Gone set is a removal.
type Change struct {
	Rev  int64
	Key  string
	Qty  int
	Gone bool
}

// store is the list and its history. Every change has a revision of its own,
// one above the one before.
type store struct {
	mu        sync.RWMutex
	rev       int64
	parts     map[string]Part
	history   []Change // revisions compacted+1 .. rev
	compacted int64
	grown     chan struct{} // closed at the next change
}

func newStore() *store {
	return &store{parts: make(map[string]Part), grown: make(chan struct{})}
}

func (s *store) record(c Change) {
	s.history = append(s.history, c)
	close(s.grown)
	s.grown = make(chan struct{})
}

// put sets the quantity of a part and returns the revision of the change.
func (s *store) put(key string, qty int) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rev++
	s.parts[key] = Part{Key: key, Qty: qty, Rev: s.rev}
	s.record(Change{Rev: s.rev, Key: key, Qty: qty})
	return s.rev
}

// remove takes a part off the list. It returns false if it is not there.
func (s *store) remove(key string) (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.parts[key]; !ok {
		return s.rev, false
	}
	s.rev++
	delete(s.parts, key)
	s.record(Change{Rev: s.rev, Key: key, Gone: true})
	return s.rev, true
}

// scan returns the parts of a shelf in the order of their keys, and the
// revision of the latest change that they reflect.
func (s *store) scan(shelf string) ([]Part, int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []Part
	for k, p := range s.parts {
		if strings.HasPrefix(k, shelf) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Part) int { return cmp.Compare(a.Key, b.Key) })
	return out, s.rev
}

// since returns the changes of a shelf from revision from on, the revision to
// go on with, and a channel that is closed when there may be more.
func (s *store) since(shelf string, from int64) ([]Change, int64, <-chan struct{}, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if from <= s.compacted {
		return nil, 0, nil, ErrCompacted
	}
	var out []Change
	for _, c := range s.history {
		if c.Rev >= from && strings.HasPrefix(c.Key, shelf) {
			out = append(out, c)
		}
	}
	return out, max(from, s.rev+1), s.grown, nil
}

// compact forgets the history up to and including rev.
func (s *store) compact(rev int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rev = min(rev, s.rev)
	if rev <= s.compacted {
		return
	}
	s.history = slices.Clone(s.history[rev-s.compacted:])
	s.compacted = rev
}
