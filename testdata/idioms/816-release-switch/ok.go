// Package release switches a host between installed releases of an
// application.
package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

var (
	ErrNoPrevious = errors.New("release: nothing to roll back to")
	ErrUnhealthy  = errors.New("release: release is not healthy")
)

// Runtime starts and checks releases on the host.
type Runtime interface {
	Start(ctx context.Context, version string) error
	Healthy(ctx context.Context, version string) bool
	Stop(ctx context.Context, version string) error
}

// Switch is an entry of the history.
type Switch struct {
	From, To string
	At       time.Time
}

// Status is what the status page shows.
type Status struct {
	Current  string
	Previous string
	Switches int
}

// state is the part of a Manager that can be asked for at any time. It has a
// lock of its own so that the status page does not wait for a deployment.
type state struct {
	mu       sync.Mutex
	current  string
	previous string
	history  []Switch
}

func (s *state) versions() (current, previous string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current, s.previous
}

func (s *state) record(current, previous string, sw Switch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.previous = current, previous
	s.history = append(s.history, sw)
}

// Manager deploys releases. It is safe for concurrent use.
type Manager struct {
	rt    Runtime
	op    sync.Mutex // one deployment or rollback at a time
	state state
}

// NewManager returns a manager for a host that runs version.
func NewManager(rt Runtime, version string) *Manager {
	return &Manager{rt: rt, state: state{current: version}}
}

// Status returns the current status without waiting.
func (m *Manager) Status() Status {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	return Status{m.state.current, m.state.previous, len(m.state.history)}
}

// History returns all switches, oldest first.
func (m *Manager) History() []Switch {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	return slices.Clone(m.state.history)
}

// Deploy brings version into service. It does nothing if the version is in
// service already.
func (m *Manager) Deploy(ctx context.Context, version string) error {
	m.op.Lock()
	defer m.op.Unlock()
	if current, _ := m.state.versions(); current == version {
		return nil
	}
	return m.switchTo(ctx, version)
}

// Rollback brings the version before the current one into service again.
func (m *Manager) Rollback(ctx context.Context) error {
	m.op.Lock()
	defer m.op.Unlock()
	_, previous := m.state.versions()
	if previous == "" {
		return ErrNoPrevious
	}
	return m.switchTo(ctx, previous)
}

// switchTo starts a version, waits until it is healthy and retires the one in
// service.
func (m *Manager) switchTo(ctx context.Context, version string) error {
	old, _ := m.state.versions()
	if err := m.rt.Start(ctx, version); err != nil {
		return fmt.Errorf("release: start %s: %w", version, err)
	}
	if !m.awaitHealthy(ctx, version) {
		_ = m.rt.Stop(context.WithoutCancel(ctx), version)
		return ErrUnhealthy
	}
	m.state.record(version, old, Switch{From: old, To: version, At: time.Now()})
	if err := m.rt.Stop(ctx, old); err != nil {
		return fmt.Errorf("release: stop %s: %w", old, err)
	}
	return nil
}

func (m *Manager) awaitHealthy(ctx context.Context, version string) bool {
	for range 30 {
		if m.rt.Healthy(ctx, version) {
			return true
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return false
		}
	}
	return false
}
