// Package ok edits the settings of devices with optimistic locking.
package ok

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
)

var ErrConflict = errors.New("settings: changed by somebody else")

type Values map[string]string

type record struct {
	rev  uint64
	vals Values
}

// Store keeps the settings of each device with a revision.
type Store struct {
	mu   sync.RWMutex
	recs map[string]record
}

func NewStore() *Store {
	return &Store{recs: make(map[string]record)}
}

// Head is the revision of a device's settings.
func (s *Store) Head(device string) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.recs[device].rev
}

// Get is a copy of the settings.
func (s *Store) Get(device string) Values {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v := maps.Clone(s.recs[device].vals)
	if v == nil {
		v = Values{}
	}
	return v
}

// PutIf writes settings if the revision still is rev.
func (s *Store) PutIf(device string, rev uint64, v Values) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recs[device].rev != rev {
		return ErrConflict
	}
	s.recs[device] = record{rev: rev + 1, vals: maps.Clone(v)}
	return nil
}

// Editor changes settings.
type Editor struct {
	store *Store
	tries int
}

func NewEditor(s *Store, tries int) *Editor {
	return &Editor{store: s, tries: tries}
}

// Edit applies f to the settings of a device until no one comes in between.
func (e *Editor) Edit(ctx context.Context, device string, f func(Values) error) error {
	for range e.tries {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := e.try(device, f)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("edit %s: %w", device, ErrConflict)
}

func (e *Editor) try(device string, f func(Values) error) error {
	// The revision first: the values may be newer than it, and then PutIf
	// refuses, but never older.
	rev := e.store.Head(device)
	vals := e.store.Get(device)
	if err := f(vals); err != nil {
		return err
	}
	return e.store.PutIf(device, rev, vals)
}

// Set changes one setting.
func (e *Editor) Set(ctx context.Context, device, key, val string) error {
	return e.Edit(ctx, device, func(v Values) error {
		v[key] = val
		return nil
	})
}
