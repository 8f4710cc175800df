// Package twin holds the device twins of an IoT gateway: what a device should
// be set to and what it last reported.
package twin

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"sync"
)

var (
	// ErrVersion is returned when the caller's version is not the current one.
	ErrVersion = errors.New("twin: version mismatch")
	// ErrNotFound is returned for a device without a twin.
	ErrNotFound = errors.New("twin: not found")
)

// Twin is the state of a device. Stored twins are never changed in place.
type Twin struct {
	Version  uint64
	Desired  map[string]any
	Reported map[string]any
}

func (t Twin) clone() Twin {
	t.Desired, t.Reported = maps.Clone(t.Desired), maps.Clone(t.Reported)
	return t
}

type store struct {
	mu    sync.RWMutex
	twins map[string]Twin
}

func (s *store) load(device string) (Twin, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, ok := s.twins[device]
	return t, ok
}

func (s *store) save(device string, t Twin) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.twins[device] = t
}

func (s *store) remove(device string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.twins, device)
}

// Service is called by the MQTT workers and by the HTTP API.
type Service struct {
	twins   store
	notify  func(device string, t Twin) // must not block or call the service
	stripes [32]sync.Mutex
}

// NewService returns a service that reports changes to notify, for each device
// in the order in which they are made.
func NewService(notify func(string, Twin)) *Service {
	return &Service{twins: store{twins: make(map[string]Twin)}, notify: notify}
}

// withDevice runs f while no one else changes the device.
func (s *Service) withDevice(device string, f func() error) error {
	h := fnv.New32a()
	_, _ = h.Write([]byte(device))
	mu := &s.stripes[h.Sum32()%uint32(len(s.stripes))]
	mu.Lock()
	defer mu.Unlock()
	return f()
}

// Register creates the twin of a device unless it has one.
func (s *Service) Register(device string) error {
	return s.withDevice(device, func() error {
		if _, ok := s.twins.load(device); !ok {
			s.twins.save(device, Twin{Version: 1, Desired: map[string]any{}, Reported: map[string]any{}})
		}
		return nil
	})
}

// Get returns a copy of the twin.
func (s *Service) Get(device string) (Twin, error) {
	t, ok := s.twins.load(device)
	if !ok {
		return Twin{}, fmt.Errorf("%w: %s", ErrNotFound, device)
	}
	return t.clone(), nil
}

// Patch changes desired values if the twin still has the given version.
func (s *Service) Patch(device string, version uint64, patch map[string]any) error {
	return s.change(device, func(t *Twin) error {
		if t.Version != version {
			return ErrVersion
		}
		merge(t.Desired, patch)
		return nil
	})
}

// Report takes over values that the device has sent.
func (s *Service) Report(device string, values map[string]any) error {
	return s.change(device, func(t *Twin) error {
		merge(t.Reported, values)
		return nil
	})
}

func (s *Service) change(device string, edit func(*Twin) error) error {
	return s.withDevice(device, func() error {
		t, err := s.Get(device)
		if err != nil {
			return err
		}
		if err := edit(&t); err != nil {
			return err
		}
		t.Version++
		s.twins.save(device, t)
		s.notify(device, t.clone())
		return nil
	})
}

// Remove deletes the twin of a device.
func (s *Service) Remove(device string) error {
	return s.withDevice(device, func() error {
		if _, ok := s.twins.load(device); !ok {
			return fmt.Errorf("%w: %s", ErrNotFound, device)
		}
		s.twins.remove(device)
		return nil
	})
}

// merge sets the values of the patch; nil removes a value.
func merge(dst, patch map[string]any) {
	for k, v := range patch {
		if v == nil {
			delete(dst, k)
		} else {
			dst[k] = v
		}
	}
}
