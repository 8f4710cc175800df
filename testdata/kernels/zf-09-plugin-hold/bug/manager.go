// Package plugins runs the plugins of a build tool as child processes. A
// plugin can be upgraded while calls to it are pending: they end on the old
// process, which goes away with the last of them.
package plugins

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sort"
	"sync"
	"sync/atomic"
)

var (
	// ErrUnknown is returned for a plugin that is not installed.
	ErrUnknown = errors.New("plugins: not installed")
	// ErrClosed is returned by a manager that has been closed.
	ErrClosed = errors.New("plugins: manager is closed")
)

// Process is a running plugin. Invoke may be called concurrently, but not
// after Kill.
type Process interface {
	Invoke(ctx context.Context, method string, arg []byte) ([]byte, error)
	Kill() error
}

// Runner starts plugins.
type Runner interface {
	Start(ctx context.Context, name, version string) (Process, error)
}

// instance is one process of a plugin. It is killed when nobody holds it.
type instance struct {
	name    string
	version string
	proc    Process
	holders atomic.Int32
}

// hold keeps the process alive until drop.
func (in *instance) hold() { in.holders.Add(1) }

// drop gives up a hold.
func (in *instance) drop() {
	if in.holders.Add(-1) > 0 {
		return
	}
	if err := in.proc.Kill(); err != nil {
		log.Printf("plugins: kill %s %s: %v", in.name, in.version, err)
	}
}

// Manager holds the installed plugins. It is safe for concurrent use.
type Manager struct {
	runner Runner

	install sync.Mutex // one installation at a time

	mu     sync.RWMutex
	active map[string]*instance // the manager holds each of them
	closed bool
}

// NewManager returns a manager without plugins.
func NewManager(r Runner) *Manager {
	return &Manager{runner: r, active: make(map[string]*instance)}
}

// lookup returns the current instance of a plugin.
func (m *Manager) lookup(name string) (*instance, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	in, ok := m.active[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, ErrUnknown)
	}
	return in, nil
}

// Call invokes a method of a plugin.
func (m *Manager) Call(ctx context.Context, name, method string, arg []byte) ([]byte, error) {
	in, err := m.lookup(name)
	if err != nil {
		return nil, err
	}
	in.hold()
	defer in.drop()
	out, err := in.proc.Invoke(ctx, method, arg)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", in.name, in.version, err)
	}
	return out, nil
}

// Version returns the version of an installed plugin.
func (m *Manager) Version(name string) (string, error) {
	in, err := m.lookup(name)
	if err != nil {
		return "", err
	}
	return in.version, nil
}

// Names returns the installed plugins in order.
func (m *Manager) Names() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	names := make([]string, 0, len(m.active))
	for n := range m.active {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Install starts a version of a plugin and makes it the current one.
func (m *Manager) Install(ctx context.Context, name, version string) error {
	m.install.Lock()
	defer m.install.Unlock()

	proc, err := m.runner.Start(ctx, name, version)
	if err != nil {
		return err
	}
	in := &instance{name: name, version: version, proc: proc}
	in.hold()
	old, err := m.swap(in)
	if err != nil {
		in.drop()
		return err
	}
	if old != nil {
		old.drop()
	}
	return nil
}

// swap makes an instance the current one and returns the one before, whose
// hold passes to the caller.
func (m *Manager) swap(in *instance) (*instance, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	old := m.active[in.name]
	m.active[in.name] = in
	return old, nil
}

// Remove uninstalls a plugin.
func (m *Manager) Remove(name string) error {
	m.mu.Lock()
	in, ok := m.active[name]
	delete(m.active, name)
	m.mu.Unlock()
	if !ok {
		return fmt.Errorf("%s: %w", name, ErrUnknown)
	}
	in.drop()
	return nil
}

// Close uninstalls all plugins.
func (m *Manager) Close() {
	m.mu.Lock()
	all := m.active
	m.active = nil
	m.closed = true
	m.mu.Unlock()
	for _, in := range all {
		in.drop()
	}
}
