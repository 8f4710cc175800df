// Package idle powers a laboratory laser down when nobody has used it for a
// while, and up again for the next measurement.
package idle

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Source is the power supply of the laser. PowerOn returns once the beam is
// stable, which takes seconds.
type Source interface {
	PowerOn() error
	PowerOff() error
}

// Manager decides when the source is on. Measurements run between Begin and
// End, any number of them at the same time.
type Manager struct {
	src Source
	log *slog.Logger

	active  atomic.Int64 // measurements between Begin and End
	touched atomic.Bool  // there was a Begin since the last check
	asleep  atomic.Bool  // the source is off; written under mu

	mu    sync.Mutex // held while the source is switched
	wakes int        // times the source was switched on
}

// NewManager returns a manager for a source that is off.
func NewManager(src Source, log *slog.Logger) *Manager {
	m := &Manager{src: src, log: log}
	m.asleep.Store(true)
	return m
}

// Begin makes sure that the source is on and stays on until End. When it
// fails, End must not be called.
func (m *Manager) Begin() error {
	m.active.Add(1)
	m.touched.Store(true)
	if !m.asleep.Load() {
		return nil
	}
	if err := m.wake(); err != nil {
		m.active.Add(-1)
		return err
	}
	return nil
}

// End tells that the measurement is over.
func (m *Manager) End() {
	m.touched.Store(true)
	m.active.Add(-1)
}

// Measure runs f with the source on.
func (m *Manager) Measure(f func() error) error {
	if err := m.Begin(); err != nil {
		return err
	}
	defer m.End()
	return f()
}

// wake switches the source on unless someone else has done it.
func (m *Manager) wake() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.asleep.Load() {
		return nil
	}
	if err := m.src.PowerOn(); err != nil {
		return err
	}
	m.wakes++
	m.asleep.Store(false)
	return nil
}

// trySleep switches the source off if it is not in use.
func (m *Manager) trySleep() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asleep.Load() {
		return
	}
	if m.active.Load() != 0 || m.touched.Load() {
		return
	}
	if err := m.src.PowerOff(); err != nil {
		m.log.Warn("laser does not power off", "err", err)
		return
	}
	m.asleep.Store(true)
}

// Run checks once every period whether the source can be switched off. It
// goes off after one to two periods without a measurement, and stays as it is
// when ctx ends.
func (m *Manager) Run(ctx context.Context, period time.Duration) {
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if m.touched.Swap(false) {
				continue
			}
			m.trySleep()
		}
	}
}

// Wakes returns how often the source has been switched on, for the service
// log of the lamp.
func (m *Manager) Wakes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.wakes
}
