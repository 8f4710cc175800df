// Package a keeps track of the volumes created through volume drivers.
package a

import (
	"errors"
	"fmt"
	"sync"
)

var (
	ErrInUse     = errors.New("volume is in use")
	ErrNoVolume  = errors.New("no such volume")
	ErrNoDriver  = errors.New("no such driver")
	ErrNameTaken = errors.New("name is used by another driver")
)

// Driver creates and removes volumes; implementations are safe for
// concurrent use, but Create must be called once per volume.
type Driver interface {
	Name() string
	Create(name string) (mountpoint string, err error)
	Remove(mountpoint string) error
}

// Volume is immutable once it was stored.
type Volume struct {
	Name       string
	Mountpoint string
	driver     Driver
}

// nameLocker hands out one mutex per volume name.
type nameLocker struct {
	mu sync.Mutex
	m  map[string]*nameLock
}

type nameLock struct {
	mu    sync.Mutex
	users int
}

func (l *nameLocker) Lock(name string) {
	l.mu.Lock()
	e := l.m[name]
	if e == nil {
		e = &nameLock{}
		l.m[name] = e
	}
	e.users++
	l.mu.Unlock()
	e.mu.Lock()
}

func (l *nameLocker) Unlock(name string) {
	l.mu.Lock()
	e := l.m[name]
	e.users--
	if e.users == 0 {
		delete(l.m, name)
	}
	l.mu.Unlock()
	e.mu.Unlock()
}

// VolumeStore is the registry of all volumes by name.
type VolumeStore struct {
	locks   nameLocker
	drivers map[string]Driver // fixed after New

	mu    sync.RWMutex // protects names and refs
	names map[string]*Volume
	refs  map[string]map[string]struct{}
}

func New(drivers ...Driver) *VolumeStore {
	s := &VolumeStore{
		locks:   nameLocker{m: make(map[string]*nameLock)},
		drivers: make(map[string]Driver),
		names:   make(map[string]*Volume),
		refs:    make(map[string]map[string]struct{}),
	}
	for _, d := range drivers {
		s.drivers[d.Name()] = d
	}
	return s
}

func (s *VolumeStore) getNamed(name string) (*Volume, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.names[name]
	return v, ok
}

func (s *VolumeStore) setNamed(v *Volume, ref string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[v.Name] = v
	if s.refs[v.Name] == nil {
		s.refs[v.Name] = make(map[string]struct{})
	}
	s.refs[v.Name][ref] = struct{}{}
}

func (s *VolumeStore) hasRefs(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.refs[name]) > 0
}

// Create returns the volume of that name, creating it if need be, and
// references it on behalf of ref.
func (s *VolumeStore) Create(name, driver, ref string) (*Volume, error) {
	d, ok := s.drivers[driver]
	if !ok {
		return nil, ErrNoDriver
	}

	v, ok := s.getNamed(name)
	if ok {
		if v.driver.Name() != driver {
			return nil, ErrNameTaken
		}
	} else {
		mp, err := d.Create(name)
		if err != nil {
			return nil, fmt.Errorf("create %s: %w", name, err)
		}
		v = &Volume{Name: name, Mountpoint: mp, driver: d}
	}
	s.setNamed(v, ref)
	return v, nil
}

// Release drops the reference held by ref.
func (s *VolumeStore) Release(name, ref string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.refs[name], ref)
}

// Remove deletes an unreferenced volume.
func (s *VolumeStore) Remove(name string) error {
	s.locks.Lock(name)
	defer s.locks.Unlock(name)

	v, ok := s.getNamed(name)
	if !ok {
		return ErrNoVolume
	}
	if s.hasRefs(name) {
		return ErrInUse
	}
	if err := v.driver.Remove(v.Mountpoint); err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	s.mu.Lock()
	delete(s.names, name)
	delete(s.refs, name)
	s.mu.Unlock()
	return nil
}
