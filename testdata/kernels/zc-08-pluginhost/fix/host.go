// Package plugin hosts filter plugins that can be replaced while requests are
// being served.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"sync"
	"sync/atomic"
)

// ErrUnknown is returned for a plugin that is not loaded.
var ErrUnknown = errors.New("plugin: not loaded")

// Instance is a running plugin. Handle must not be called after Close.
type Instance interface {
	Version() string
	Handle(ctx context.Context, req []byte) ([]byte, error)
	Close() error
}

// Loader starts the plugin found at path.
type Loader interface {
	Open(ctx context.Context, path string) (Instance, error)
}

// handle counts the users of an instance. The host is a user as well, as long
// as the plugin is loaded; the last user closes the instance.
type handle struct {
	name string
	inst Instance
	refs atomic.Int64
}

func newHandle(name string, inst Instance) *handle {
	h := &handle{name: name, inst: inst}
	h.refs.Store(1)
	return h
}

func (h *handle) retain() { h.refs.Add(1) }

func (h *handle) release(log *slog.Logger) {
	if h.refs.Add(-1) > 0 {
		return
	}
	if err := h.inst.Close(); err != nil {
		log.Warn("closing plugin", "plugin", h.name, "err", err)
	}
}

// Host is the set of loaded plugins. It is safe for concurrent use.
type Host struct {
	loader Loader
	log    *slog.Logger

	mu     sync.RWMutex
	loaded map[string]*handle
}

// NewHost returns a host without plugins.
func NewHost(l Loader, log *slog.Logger) *Host {
	return &Host{loader: l, log: log, loaded: make(map[string]*handle)}
}

// Load starts the plugin at path under the given name. It takes the place of
// an older version, which is closed when its last call has returned.
func (h *Host) Load(ctx context.Context, name, path string) error {
	inst, err := h.loader.Open(ctx, path)
	if err != nil {
		return fmt.Errorf("plugin: load %s: %w", name, err)
	}
	version := inst.Version()
	p := newHandle(name, inst)
	h.mu.Lock()
	old := h.loaded[name]
	h.loaded[name] = p
	h.mu.Unlock()
	if old != nil {
		old.release(h.log)
	}
	h.log.Info("plugin loaded", "plugin", name, "version", version)
	return nil
}

// Unload removes a plugin.
func (h *Host) Unload(name string) error {
	h.mu.Lock()
	p, ok := h.loaded[name]
	delete(h.loaded, name)
	h.mu.Unlock()
	if !ok {
		return ErrUnknown
	}
	p.release(h.log)
	return nil
}

// acquire finds a loaded plugin and retains it.
func (h *Host) acquire(name string) (*handle, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	p, ok := h.loaded[name]
	if !ok {
		return nil, ErrUnknown
	}
	p.retain()
	return p, nil
}

// Call passes a request to the named plugin.
func (h *Host) Call(ctx context.Context, name string, req []byte) ([]byte, error) {
	p, err := h.acquire(name)
	if err != nil {
		return nil, err
	}
	defer p.release(h.log)
	return p.inst.Handle(ctx, req)
}

// Names returns the names of the loaded plugins in order.
func (h *Host) Names() []string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	names := make([]string, 0, len(h.loaded))
	for n := range h.loaded {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Close unloads every plugin.
func (h *Host) Close() {
	h.mu.Lock()
	all := h.loaded
	h.loaded = make(map[string]*handle)
	h.mu.Unlock()
	for _, p := range all {
		p.release(h.log)
	}
}
