package twin

import (
	"errors"
	"maps"
	"sync"
)

// ErrConflict is returned when a twin was stored by someone else since it was read.
var ErrConflict = errors.New("twin: version conflict")

// ErrUnknownDevice is returned for devices which were never provisioned.
var ErrUnknownDevice = errors.New("twin: unknown device")

// Twin is the cloud-side document of one device.
type Twin struct {
	DeviceID string
	Version  uint64
	Desired  map[string]string
	Reported map[string]string
}

func (t Twin) clone() Twin {
	t.Desired = maps.Clone(t.Desired)
	t.Reported = maps.Clone(t.Reported)
	return t
}

// Store keeps twins.
type Store interface {
	Get(deviceID string) (Twin, error)
	Create(t Twin) error
	Put(t Twin)
	PutIfVersion(t Twin, version uint64) error
}

type memStore struct {
	mu    sync.RWMutex
	twins map[string]Twin
}

// NewMemStore returns a Store which keeps everything in memory.
func NewMemStore() Store {
	return &memStore{twins: make(map[string]Twin)}
}

func (m *memStore) Get(deviceID string) (Twin, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	t, ok := m.twins[deviceID]
	if !ok {
		return Twin{}, ErrUnknownDevice
	}
	return t.clone(), nil
}

func (m *memStore) Create(t Twin) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.twins[t.DeviceID]; ok {
		return ErrConflict
	}
	m.twins[t.DeviceID] = t.clone()
	return nil
}

func (m *memStore) Put(t Twin) {
	m.mu.Lock()
	m.twins[t.DeviceID] = t.clone()
	m.mu.Unlock()
}

func (m *memStore) PutIfVersion(t Twin, version uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	cur, ok := m.twins[t.DeviceID]
	if !ok {
		return ErrUnknownDevice
	}
	if cur.Version != version {
		return ErrConflict
	}
	m.twins[t.DeviceID] = t.clone()
	return nil
}
