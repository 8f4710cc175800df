// Package migrator moves a schema from version to version.
//
// Correct: whoever changes the state holds the turn, a channel of capacity one
// used as a lock that can be given up on, from before the first look until
// after the last write. The mutex is taken in several short sections within
// that, for the readers that do not wait for a turn.
package migrator

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrDirty   = errors.New("migrator: a step failed half-way")
	ErrUnknown = errors.New("migrator: no such version")
)

type Step func(ctx context.Context) error

type State struct {
	Version int
	Dirty   bool
}

type Migrator struct {
	steps []Step
	turn  chan struct{}

	mu      sync.RWMutex
	state   State
	history []State
}

func New(steps ...Step) *Migrator {
	return &Migrator{steps: steps, turn: make(chan struct{}, 1)}
}

func (m *Migrator) enter(ctx context.Context) error {
	select {
	case m.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *Migrator) leave() { <-m.turn }

func (m *Migrator) State() State {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.state
}

// set needs the turn.
func (m *Migrator) set(s State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.history = append(m.history, m.state)
	m.state = s
}

// Up runs the steps up to and with the target version.
func (m *Migrator) Up(ctx context.Context, target int) error {
	if target < 0 || target > len(m.steps) {
		return ErrUnknown
	}
	if err := m.enter(ctx); err != nil {
		return err
	}
	defer m.leave()
	for {
		s := m.State()
		if s.Dirty {
			return ErrDirty
		}
		if s.Version >= target {
			return nil
		}
		m.set(State{Version: s.Version, Dirty: true})
		if err := m.steps[s.Version](ctx); err != nil {
			return fmt.Errorf("step %d: %w", s.Version+1, err)
		}
		m.set(State{Version: s.Version + 1})
	}
}

// Force declares which version is there, after a repair by hand.
func (m *Migrator) Force(ctx context.Context, version int) error {
	if version < 0 || version > len(m.steps) {
		return ErrUnknown
	}
	if err := m.enter(ctx); err != nil {
		return err
	}
	defer m.leave()
	if s := m.State(); s.Version == version && !s.Dirty {
		return nil
	}
	m.set(State{Version: version})
	return nil
}

func (m *Migrator) History() []State {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return append([]State(nil), m.history...)
}
