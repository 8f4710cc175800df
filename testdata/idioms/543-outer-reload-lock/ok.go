// Package shelf serves the volumes of a directory. Volumes are merged and
// removed in the background.
package shelf

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

var ErrClosed = errors.New("shelf: closed")

// Volume is a volume that was opened. It is closed by the shelf when it is not
// on the shelf any more and the last reader has put it back.
type Volume struct {
	Name string
	file File
	refs atomic.Int32 // one for the shelf, one for each reader
}

// File is an open volume.
type File interface {
	Close() error
}

// Dir is the directory with the volumes.
type Dir interface {
	List() ([]string, error)
	Open(name string) (File, error)
	// Merge writes a new volume with the content of others and deletes those.
	Merge(names []string) (string, error)
}

// Put gives a volume back.
func (v *Volume) Put() {
	if v.refs.Add(-1) == 0 {
		_ = v.file.Close()
	}
}

// Shelf is safe for concurrent use.
type Shelf struct {
	dir Dir

	// cmu is held while volumes are merged or reloaded. Only its holder
	// changes volumes. It is taken before mu.
	cmu    sync.Mutex
	closed bool // guarded by cmu

	mu      sync.RWMutex
	volumes []*Volume
}

// Open returns the shelf of a directory.
func Open(dir Dir) (*Shelf, error) {
	s := &Shelf{dir: dir}
	s.cmu.Lock()
	defer s.cmu.Unlock()
	if err := s.reload(); err != nil {
		return nil, err
	}
	return s, nil
}

// Reload looks for volumes that were added or removed by others.
func (s *Shelf) Reload() error {
	s.cmu.Lock()
	defer s.cmu.Unlock()
	if s.closed {
		return ErrClosed
	}
	return s.reload()
}

// Merge puts all volumes with names that begin with prefix into one.
func (s *Shelf) Merge(prefix string) error {
	s.cmu.Lock()
	defer s.cmu.Unlock()
	if s.closed {
		return ErrClosed
	}
	var names []string
	s.mu.RLock()
	for _, v := range s.volumes {
		if strings.HasPrefix(v.Name, prefix) {
			names = append(names, v.Name)
		}
	}
	s.mu.RUnlock()
	if len(names) < 2 {
		return nil
	}
	if _, err := s.dir.Merge(names); err != nil {
		return fmt.Errorf("shelf: merge: %w", err)
	}
	return s.reload()
}

// reload opens the volumes that are new and lets go of those that are not
// there any more. Opening takes long, so readers are not kept out. cmu is held.
func (s *Shelf) reload() error {
	names, err := s.dir.List()
	if err != nil {
		return err
	}

	s.mu.RLock()
	old := slices.Clone(s.volumes)
	s.mu.RUnlock()

	var fresh, all []*Volume
	for _, name := range names {
		i := slices.IndexFunc(old, func(v *Volume) bool { return v.Name == name })
		if i >= 0 {
			all = append(all, old[i])
			continue
		}
		f, err := s.dir.Open(name)
		if err != nil {
			for _, v := range fresh {
				v.Put()
			}
			return fmt.Errorf("shelf: open %s: %w", name, err)
		}
		v := &Volume{Name: name, file: f}
		v.refs.Store(1)
		fresh = append(fresh, v)
		all = append(all, v)
	}

	s.mu.Lock()
	s.volumes = all
	s.mu.Unlock()

	for _, v := range old {
		if !slices.Contains(all, v) {
			v.Put()
		}
	}
	return nil
}

// Get returns the volume with the given name, or nil. The caller has to put it
// back.
func (s *Shelf) Get(name string) *Volume {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, v := range s.volumes {
		if v.Name == name {
			v.refs.Add(1)
			return v
		}
	}
	return nil
}

// Close closes the volumes that are not in use.
func (s *Shelf) Close() {
	s.cmu.Lock()
	defer s.cmu.Unlock()
	s.closed = true
	s.mu.Lock()
	volumes := s.volumes
	s.volumes = nil
	s.mu.Unlock()
	for _, v := range volumes {
		v.Put()
	}
}
