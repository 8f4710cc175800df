// Package traffic is the admin side of the proxy's traffic splits: what share
// of the requests each release of a service gets.
package traffic

import (
	"errors"
	"fmt"
	"maps"
	"sync"
)

// Errors returned by this package.
var (
	ErrConflict = errors.New("traffic: the split was changed meanwhile")
	ErrUnknown  = errors.New("traffic: no such service")
	ErrRelease  = errors.New("traffic: no such release")
)

// Split maps releases to percent. The percents add up to 100.
type Split map[string]int

// Checker validates a split against the deployed releases; it calls the
// cluster API.
type Checker interface {
	Check(service string, s Split) error
}

type record struct {
	version uint64
	split   Split // not changed once it is in a record
}

// Store keeps the splits with their versions. It is safe for concurrent use.
type Store struct {
	mu       sync.RWMutex
	services map[string]record
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{services: make(map[string]record)}
}

// Get returns a copy of the split of service and its version. A service
// without a split has version 0.
func (s *Store) Get(service string) (Split, uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := s.services[service]
	return maps.Clone(r.split), r.version
}

// Put replaces the split that has the given version.
func (s *Store) Put(service string, split Split, version uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.services[service].version != version {
		return ErrConflict
	}
	s.services[service] = record{version: version + 1, split: maps.Clone(split)}
	return nil
}

// Editor makes changes on behalf of the operators. Its methods are called by
// the handlers of the admin API.
type Editor struct {
	store *Store
	check Checker
}

// NewEditor returns an editor for the store.
func NewEditor(s *Store, c Checker) *Editor { return &Editor{store: s, check: c} }

// Create sends all requests of a new service to one release.
func (e *Editor) Create(service, release string) error {
	split := Split{release: 100}
	if err := e.check.Check(service, split); err != nil {
		return err
	}
	return e.store.Put(service, split, 0)
}

// Shift moves percent of the requests from one release to another.
func (e *Editor) Shift(service, from, to string, percent int) error {
	if percent <= 0 || from == to {
		return fmt.Errorf("traffic: bad shift of %d%% from %s to %s", percent, from, to)
	}
	for {
		err := e.tryShift(service, from, to, percent)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

func (e *Editor) tryShift(service, from, to string, percent int) error {
	split, version := e.store.Get(service)
	if version == 0 {
		return ErrUnknown
	}
	have, ok := split[from]
	if !ok {
		return ErrRelease
	}
	if have < percent {
		return fmt.Errorf("traffic: %s has only %d%%", from, have)
	}
	if have == percent {
		delete(split, from)
	} else {
		split[from] = have - percent
	}
	split[to] += percent
	if err := e.check.Check(service, split); err != nil {
		return err
	}
	return e.store.Put(service, split, version)
}
