// Package runners starts helper processes for a plug-in host, up to a limit.
package runners

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrLimit  = errors.New("runners: all slots are taken")
	ErrClosed = errors.New("runners: manager is closed")
)

// Process is a running helper.
type Process interface {
	ID() string
	Kill() error
}

// Starter starts a helper.
type Starter interface {
	Start(ctx context.Context, image string) (Process, error)
}

// Manager bounds the number of helpers.
type Manager struct {
	starter Starter
	limit   int

	mu      sync.Mutex
	slots   int
	closed  bool
	running map[string]Process
}

// NewManager returns a manager for at most limit helpers.
func NewManager(s Starter, limit int) *Manager {
	return &Manager{starter: s, limit: limit, running: make(map[string]Process)}
}

func (m *Manager) reserve() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return ErrClosed
	case m.slots >= m.limit:
		return ErrLimit
	}
	m.slots++
	return nil
}

func (m *Manager) giveBack() {
	m.mu.Lock()
	m.slots--
	m.mu.Unlock()
}

func (m *Manager) enter(p Process) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		m.slots--
		return false
	}
	m.running[p.ID()] = p
	return true
}

// Start starts a helper from an image. Process ids are unique.
func (m *Manager) Start(ctx context.Context, image string) (string, error) {
	if err := m.reserve(); err != nil {
		return "", err
	}
	p, err := m.starter.Start(ctx, image)
	if err != nil {
		m.giveBack()
		return "", fmt.Errorf("runners: start %s: %w", image, err)
	}
	if !m.enter(p) {
		return "", errors.Join(ErrClosed, p.Kill())
	}
	return p.ID(), nil
}

// Stop kills a helper.
func (m *Manager) Stop(id string) error {
	m.mu.Lock()
	p, ok := m.running[id]
	delete(m.running, id)
	m.mu.Unlock()
	if !ok {
		return fmt.Errorf("runners: no helper %s", id)
	}
	err := p.Kill()
	m.giveBack()
	return err
}

// Close kills all helpers and refuses new ones.
func (m *Manager) Close() error {
	m.mu.Lock()
	all := m.running
	m.running = make(map[string]Process)
	m.slots -= len(all)
	m.closed = true
	m.mu.Unlock()

	var errs []error
	for _, p := range all {
		errs = append(errs, p.Kill())
	}
	return errors.Join(errs...)
}
