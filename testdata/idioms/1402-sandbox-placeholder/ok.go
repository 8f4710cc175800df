// Package sandbox boots throw-away environments under a global cap.
package sandbox

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrFull    = errors.New("sandbox: no capacity")
	ErrExists  = errors.New("sandbox: name in use")
	ErrUnknown = errors.New("sandbox: unknown name")
	ErrBooting = errors.New("sandbox: still booting")
)

type VM interface {
	Addr() string
	Kill() error
}

type Booter func(ctx context.Context, name string) (VM, error)

type slot struct {
	vm VM // nil while booting
}

type Manager struct {
	boot Booter
	max  int

	mu    sync.Mutex
	slots map[string]*slot
}

func NewManager(max int, boot Booter) *Manager {
	return &Manager{boot: boot, max: max, slots: make(map[string]*slot)}
}

func (m *Manager) claim(name string) (*slot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.slots[name]; ok {
		return nil, ErrExists
	}
	if len(m.slots) >= m.max {
		return nil, ErrFull
	}
	s := &slot{}
	m.slots[name] = s
	return s, nil
}

// Launch boots a sandbox; booting is slow and runs without the lock.
func (m *Manager) Launch(ctx context.Context, name string) (string, error) {
	s, err := m.claim(name)
	if err != nil {
		return "", err
	}

	vm, err := m.boot(ctx, name)

	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		delete(m.slots, name)
		return "", err
	}
	s.vm = vm
	return vm.Addr(), nil
}

func (m *Manager) take(name string) (VM, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.slots[name]
	if !ok {
		return nil, ErrUnknown
	}
	if s.vm == nil {
		return nil, ErrBooting
	}
	delete(m.slots, name)
	return s.vm, nil
}

// Stop removes a running sandbox.
func (m *Manager) Stop(name string) error {
	vm, err := m.take(name)
	if err != nil {
		return err
	}
	return vm.Kill()
}

func (m *Manager) Addr(name string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.slots[name]
	if !ok || s.vm == nil {
		return "", false
	}
	return s.vm.Addr(), true
}
