package server

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrNotExist     = errors.New("does not exist")
	ErrAlreadyExist = errors.New("already exists")
)

// State is the sandbox state.
type State uint32

const (
	// StateReady is ready state, it means sandbox container is running.
	StateReady State = iota
	// StateNotReady is notready state, it means sandbox container is not running.
	StateNotReady
)

// Status is the status of a sandbox.
type Status struct {
	// Pid is the init process id of the sandbox container.
	Pid uint32
	// CreatedAt is the created timestamp.
	CreatedAt time.Time
	// State is the state of the sandbox.
	State State
}

// UpdateFunc is function used to update the sandbox status.
type UpdateFunc func(Status) (Status, error)

// StatusStorage manages the sandbox status.
type StatusStorage struct {
	mu     sync.RWMutex
	status Status
}

// Get a copy of sandbox status.
func (s *StatusStorage) Get() Status {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.status
}

// Update the sandbox status.
func (s *StatusStorage) Update(u UpdateFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	newStatus, err := u(s.status)
	if err != nil {
		return err
	}
	s.status = newStatus
	return nil
}

// Sandbox contains all resources associated with the sandbox.
type Sandbox struct {
	ID     string
	Status *StatusStorage
	// StopCh is used to propagate the stop information of the sandbox.
	*StopCh
}

// NewSandbox creates an internally used sandbox type.
func NewSandbox(id string, status Status) Sandbox {
	s := Sandbox{
		ID:     id,
		Status: &StatusStorage{status: status},
		StopCh: NewStopCh(),
	}
	if status.State == StateNotReady {
		s.Stop()
	}
	return s
}

// Store stores all sandboxes.
type Store struct {
	lock      sync.RWMutex
	sandboxes map[string]Sandbox
}

// NewStore creates a sandbox store.
func NewStore() *Store {
	return &Store{sandboxes: make(map[string]Sandbox)}
}

// Add a sandbox into the store.
func (s *Store) Add(sb Sandbox) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if _, ok := s.sandboxes[sb.ID]; ok {
		return ErrAlreadyExist
	}
	s.sandboxes[sb.ID] = sb
	return nil
}

// Get returns the sandbox with specified id.
func (s *Store) Get(id string) (Sandbox, error) {
	s.lock.RLock()
	defer s.lock.RUnlock()
	if sb, ok := s.sandboxes[id]; ok {
		return sb, nil
	}
	return Sandbox{}, ErrNotExist
}

// List lists all sandboxes.
func (s *Store) List() []Sandbox {
	s.lock.RLock()
	defer s.lock.RUnlock()
	var sandboxes []Sandbox
	for _, sb := range s.sandboxes {
		sandboxes = append(sandboxes, sb)
	}
	return sandboxes
}
