// Package settings holds the folder settings of a file synchroniser. Devices,
// the user interface and the config file reader change them concurrently.
package settings

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

var (
	// ErrNotFound is returned for a folder without settings.
	ErrNotFound = errors.New("settings: no such folder")
	// ErrExists is returned when a folder is added twice.
	ErrExists = errors.New("settings: folder exists")
	// ErrConflict is returned when an update lost against others too often.
	ErrConflict = errors.New("settings: too many concurrent updates")
)

// Folder are the settings of one folder.
type Folder struct {
	Path    string
	Devices []string
	Ignore  []string
	Paused  bool
}

func (f Folder) clone() Folder {
	f.Devices = slices.Clone(f.Devices)
	f.Ignore = slices.Clone(f.Ignore)
	return f
}

type record struct {
	folder  Folder
	version uint64
}

// Checker looks at new settings before they are stored. It may take a while:
// it asks the devices.
type Checker interface {
	Check(ctx context.Context, id string, f Folder) error
}

// Store holds the settings by folder id. It is safe for concurrent use.
type Store struct {
	checker Checker

	mu      sync.RWMutex
	records map[string]record
	last    uint64 // version given out last, over all folders
}

// NewStore returns an empty store.
func NewStore(c Checker) *Store {
	return &Store{checker: c, records: make(map[string]record)}
}

// load returns the settings of a folder and their version.
func (s *Store) load(id string) (Folder, uint64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.records[id]
	if !ok {
		return Folder{}, 0, fmt.Errorf("%s: %w", id, ErrNotFound)
	}
	return r.folder.clone(), r.version, nil
}

// store puts new settings in place of a version. It reports false if that is
// not the current one.
func (s *Store) store(id string, version uint64, f Folder) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.records[id]
	if !ok || r.version != version {
		return false
	}
	s.last++
	s.records[id] = record{folder: f.clone(), version: s.last}
	return true
}

// Get returns the settings of a folder.
func (s *Store) Get(id string) (Folder, error) {
	f, _, err := s.load(id)
	return f, err
}

// Add stores the settings of a new folder.
func (s *Store) Add(ctx context.Context, id string, f Folder) error {
	if err := s.checker.Check(ctx, id, f); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.records[id]; taken {
		return fmt.Errorf("%s: %w", id, ErrExists)
	}
	s.last++
	s.records[id] = record{folder: f.clone(), version: s.last}
	return nil
}

// Remove forgets a folder.
func (s *Store) Remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.records[id]; !ok {
		return fmt.Errorf("%s: %w", id, ErrNotFound)
	}
	delete(s.records, id)
	return nil
}

// Update changes the settings of a folder. The change may be made more than
// once, each time on the settings that are current then.
func (s *Store) Update(ctx context.Context, id string, change func(*Folder)) error {
	for range 10 {
		f, version, err := s.load(id)
		if err != nil {
			return err
		}
		change(&f)
		if err := s.checker.Check(ctx, id, f); err != nil {
			return err
		}
		if s.store(id, version, f) {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", id, ErrConflict)
}

// Share adds a device to a folder.
func (s *Store) Share(ctx context.Context, id, device string) error {
	return s.Update(ctx, id, func(f *Folder) {
		if !slices.Contains(f.Devices, device) {
			f.Devices = append(f.Devices, device)
		}
	})
}

// SetPaused stops or resumes a folder.
func (s *Store) SetPaused(ctx context.Context, id string, paused bool) error {
	return s.Update(ctx, id, func(f *Folder) { f.Paused = paused })
}
