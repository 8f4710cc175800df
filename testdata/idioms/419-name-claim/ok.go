// Package ok creates and removes boxes with unique names.
package ok

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
)

var errUnknown = errors.New("no such box")

// names is a one-to-one mapping of names and ids.
type names struct {
	mu     sync.Mutex
	idOf   map[string]string
	nameOf map[string]string
}

func newNames() *names {
	return &names{idOf: make(map[string]string), nameOf: make(map[string]string)}
}

// reserve fails if the name or the id belongs to another pair.
func (n *names) reserve(name, id string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if name == "" || id == "" {
		return fmt.Errorf("invalid name %q or id %q", name, id)
	}
	if have, ok := n.idOf[name]; ok {
		if have != id {
			return fmt.Errorf("name %q is reserved for %q", name, have)
		}
		return nil
	}
	if have, ok := n.nameOf[id]; ok {
		return fmt.Errorf("id %q is reserved for %q", id, have)
	}
	n.idOf[name] = id
	n.nameOf[id] = name
	return nil
}

func (n *names) releaseID(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	name, ok := n.nameOf[id]
	if !ok {
		return
	}
	delete(n.idOf, name)
	delete(n.nameOf, id)
}

// box is a created box.
type box struct {
	id, name string
	root     string

	stopOnce sync.Once
	stopped  chan struct{}
}

func (b *box) stop() {
	b.stopOnce.Do(func() { close(b.stopped) })
}

// store holds boxes by id.
type store struct {
	mu    sync.RWMutex
	boxes map[string]*box
}

func (s *store) add(b *box) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.boxes[b.id]; ok {
		return fmt.Errorf("box %q exists", b.id)
	}
	s.boxes[b.id] = b
	return nil
}

func (s *store) get(id string) (*box, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if b, ok := s.boxes[id]; ok {
		return b, nil
	}
	return nil, errUnknown
}

func (s *store) list() []*box {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []*box
	for _, b := range s.boxes {
		all = append(all, b)
	}
	return all
}

func (s *store) delete(id string) {
	s.mu.Lock()
	delete(s.boxes, id)
	s.mu.Unlock()
}

// Disk makes and removes the directories of boxes.
type Disk interface {
	Make(id string) (root string, err error)
	Remove(root string) error
}

// Service serves requests.
type Service struct {
	disk  Disk
	names *names
	store *store
}

// NewService returns a service without boxes.
func NewService(disk Disk) *Service {
	return &Service{disk: disk, names: newNames(), store: &store{boxes: make(map[string]*box)}}
}

func newID() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Create makes a box.
func (s *Service) Create(name string) (_ string, retErr error) {
	id := newID()
	// Reserve the name to avoid concurrent creations of the same box.
	if err := s.names.reserve(name, id); err != nil {
		return "", fmt.Errorf("failed to reserve box name %q: %w", name, err)
	}
	defer func() {
		if retErr != nil {
			s.names.releaseID(id)
		}
	}()

	root, err := s.disk.Make(id)
	if err != nil {
		return "", err
	}
	b := &box{id: id, name: name, root: root, stopped: make(chan struct{})}
	if err := s.store.add(b); err != nil {
		return "", errors.Join(err, s.disk.Remove(root))
	}
	return id, nil
}

// Remove stops and removes a box; an unknown one is no error.
func (s *Service) Remove(id string) error {
	b, err := s.store.get(id)
	if err != nil {
		return nil
	}
	b.stop()
	// Removing a directory that does not exist is no error.
	if err := s.disk.Remove(b.root); err != nil {
		return err
	}
	s.store.delete(id)
	s.names.releaseID(id)
	return nil
}

// Names returns the names of all boxes.
func (s *Service) Names() []string {
	var all []string
	for _, b := range s.store.list() {
		all = append(all, b.name)
	}
	return all
}
