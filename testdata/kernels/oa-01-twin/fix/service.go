package twin

import (
	"errors"
	"maps"
	"sync"
)

// Watcher is told about new desired properties.
type Watcher func(t Twin)

// Service applies patches from operators and reports from devices.
type Service struct {
	store Store

	mu       sync.Mutex
	watchers map[string][]Watcher
}

// NewService returns a service on top of store.
func NewService(store Store) *Service {
	return &Service{store: store, watchers: make(map[string][]Watcher)}
}

// Restore loads a backup; it is called before the service takes requests.
func (s *Service) Restore(twins []Twin) {
	for _, t := range twins {
		s.store.Put(t)
	}
}

// Provision registers an empty twin.
func (s *Service) Provision(deviceID string) error {
	return s.store.Create(Twin{
		DeviceID: deviceID,
		Version:  1,
		Desired:  map[string]string{},
		Reported: map[string]string{},
	})
}

// Watch calls w for each change of the desired properties of a device.
func (s *Service) Watch(deviceID string, w Watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers[deviceID] = append(s.watchers[deviceID], w)
}

// PatchDesired merges patch into the desired properties. Empty values remove a key.
func (s *Service) PatchDesired(deviceID string, patch map[string]string) error {
	for {
		t, err := s.store.Get(deviceID)
		if err != nil {
			return err
		}
		seen := t.Version
		merge(t.Desired, patch)
		t.Version = seen + 1
		err = s.store.PutIfVersion(t, seen)
		if errors.Is(err, ErrConflict) {
			continue
		}
		if err != nil {
			return err
		}
		s.notify(t)
		return nil
	}
}

// ReportState merges what a device says about itself into its twin.
func (s *Service) ReportState(deviceID string, state map[string]string) error {
	for {
		t, err := s.store.Get(deviceID)
		if err != nil {
			return err
		}
		if contains(t.Reported, state) {
			return nil
		}
		seen := t.Version
		merge(t.Reported, state)
		t.Version = seen + 1
		err = s.store.PutIfVersion(t, seen)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

// Drift lists the keys in which the device differs from what is desired.
func (s *Service) Drift(deviceID string) ([]string, error) {
	t, err := s.store.Get(deviceID)
	if err != nil {
		return nil, err
	}
	var keys []string
	for k, v := range t.Desired {
		if t.Reported[k] != v {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

func (s *Service) notify(t Twin) {
	s.mu.Lock()
	ws := append([]Watcher(nil), s.watchers[t.DeviceID]...)
	s.mu.Unlock()
	for _, w := range ws {
		w(t.clone())
	}
}

func merge(dst, patch map[string]string) {
	maps.Copy(dst, patch)
	maps.DeleteFunc(dst, func(_, v string) bool { return v == "" })
}

func contains(have, want map[string]string) bool {
	for k, v := range want {
		if have[k] != v {
			return false
		}
	}
	return true
}
