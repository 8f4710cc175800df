package fix

import (
	"errors"
	"sync"
)

var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("already exists")
	ErrConflict = errors.New("object was changed")
)

type UID uint64

type Object struct {
	Name     string
	UID      UID
	Owner    UID // 0 for none
	Revision uint64
}

type DeleteOptions struct {
	Revision uint64 // if set, delete only this revision
}

// Store holds the objects of the control plane by name.
type Store struct {
	mu      sync.RWMutex
	rev     uint64
	objects map[string]Object
	uids    map[UID]string
}

func NewStore() *Store {
	return &Store{objects: make(map[string]Object), uids: make(map[UID]string)}
}

func (s *Store) Create(name string, owner UID) (Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.objects[name]; ok {
		return Object{}, ErrExists
	}
	s.rev++
	o := Object{Name: name, UID: UID(s.rev), Owner: owner, Revision: s.rev}
	s.objects[name] = o
	s.uids[o.UID] = name
	return o, nil
}

// Adopt gives an object a new owner.
func (s *Store) Adopt(name string, owner UID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.objects[name]
	if !ok {
		return ErrNotFound
	}
	s.rev++
	o.Owner = owner
	o.Revision = s.rev
	s.objects[name] = o
	return nil
}

func (s *Store) Delete(name string, opts DeleteOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.objects[name]
	if !ok {
		return ErrNotFound
	}
	if opts.Revision != 0 && opts.Revision != o.Revision {
		return ErrConflict
	}
	delete(s.objects, name)
	delete(s.uids, o.UID)
	return nil
}

func (s *Store) List() []Object {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]Object, 0, len(s.objects))
	for _, o := range s.objects {
		out = append(out, o)
	}
	return out
}

// Alive tells whether an object with this UID exists.
func (s *Store) Alive(id UID) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.uids[id]
	return ok
}

// Collector removes objects whose owner is gone.
type Collector struct {
	Store *Store
}

func (c *Collector) orphans() []Object {
	var out []Object
	for _, o := range c.Store.List() {
		if o.Owner != 0 && !c.Store.Alive(o.Owner) {
			out = append(out, o)
		}
	}
	return out
}

// Collect removes orphans until there are none and returns how many it
// removed. Owners that go take what they own with them in a later round.
func (c *Collector) Collect() (int, error) {
	total := 0
	for {
		found := c.orphans()
		if len(found) == 0 {
			return total, nil
		}
		for _, o := range found {
			switch err := c.Store.Delete(o.Name, DeleteOptions{Revision: o.Revision}); {
			case err == nil:
				total++
			case errors.Is(err, ErrNotFound), errors.Is(err, ErrConflict):
			default:
				return total, err
			}
		}
	}
}
