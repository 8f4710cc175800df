// Package plugins loads request filters at run time and calls them.
package plugins

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Errors returned by the manager.
var (
	ErrNotLoaded = errors.New("plugins: not loaded")
	ErrLoaded    = errors.New("plugins: already loaded")
)

// Instance is a loaded plugin. Filter must not be called after Close.
type Instance interface {
	Filter(ctx context.Context, in []byte) ([]byte, error)
	Close() error
}

// Loader instantiates the plugin in a file.
type Loader func(path string) (Instance, error)

// handle counts the calls that run in an instance. The instance of a retired
// handle is closed as soon as there are none.
type handle struct {
	name    string
	inst    Instance
	calls   atomic.Int64
	retired atomic.Bool
	once    sync.Once
}

func (h *handle) retain() { h.calls.Add(1) }

func (h *handle) release() {
	if h.calls.Add(-1) == 0 && h.retired.Load() {
		h.close()
	}
}

func (h *handle) retire() {
	h.retired.Store(true)
	if h.calls.Load() == 0 {
		h.close()
	}
}

func (h *handle) close() {
	h.once.Do(func() { h.inst.Close() })
}

// Manager is the set of loaded plugins. It is safe for concurrent use.
type Manager struct {
	load Loader

	mu      sync.RWMutex
	handles map[string]*handle
}

// NewManager returns a manager without plugins.
func NewManager(load Loader) *Manager {
	return &Manager{load: load, handles: make(map[string]*handle)}
}

// Load adds a plugin.
func (m *Manager) Load(name, path string) error {
	inst, err := m.load(path)
	if err != nil {
		return fmt.Errorf("plugins: load %s: %w", name, err)
	}
	h := &handle{name: name, inst: inst}
	m.mu.Lock()
	_, dup := m.handles[name]
	if !dup {
		m.handles[name] = h
	}
	m.mu.Unlock()
	if dup {
		h.retire()
		return ErrLoaded
	}
	return nil
}

// Upgrade replaces a plugin. Calls that run in the old instance end there.
func (m *Manager) Upgrade(name, path string) error {
	inst, err := m.load(path)
	if err != nil {
		return fmt.Errorf("plugins: upgrade %s: %w", name, err)
	}
	h := &handle{name: name, inst: inst}
	m.mu.Lock()
	old, ok := m.handles[name]
	if ok {
		m.handles[name] = h
	}
	m.mu.Unlock()
	if !ok {
		h.retire()
		return ErrNotLoaded
	}
	old.retire()
	return nil
}

// Unload removes a plugin.
func (m *Manager) Unload(name string) error {
	m.mu.Lock()
	h, ok := m.handles[name]
	delete(m.handles, name)
	m.mu.Unlock()
	if !ok {
		return ErrNotLoaded
	}
	h.retire()
	return nil
}

// acquire returns the handle of a loaded plugin, with one call counted in.
// The caller must release it.
func (m *Manager) acquire(name string) (*handle, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	h, ok := m.handles[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNotLoaded, name)
	}
	h.retain()
	return h, nil
}

// Call runs in through the named plugin.
func (m *Manager) Call(ctx context.Context, name string, in []byte) ([]byte, error) {
	h, err := m.acquire(name)
	if err != nil {
		return nil, err
	}
	defer h.release()
	return h.inst.Filter(ctx, in)
}

// Chain runs in through several plugins, one after the other.
func (m *Manager) Chain(ctx context.Context, names []string, in []byte) ([]byte, error) {
	for _, name := range names {
		out, err := m.Call(ctx, name, in)
		if err != nil {
			return nil, err
		}
		in = out
	}
	return in, nil
}

// Names returns the loaded plugins.
func (m *Manager) Names() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	names := make([]string, 0, len(m.handles))
	for n := range m.handles {
		names = append(names, n)
	}
	return names
}
