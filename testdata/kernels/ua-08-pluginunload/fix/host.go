// Package plugin hosts extension modules that can be replaced at run time.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// ErrUnknown is returned for calls to a plugin that is not loaded.
var ErrUnknown = errors.New("plugin: not loaded")

// Module is an instantiated plugin. Handle may be called concurrently; after
// Close the memory of the module is gone and Handle must not be called.
type Module interface {
	Version() string
	Handle(ctx context.Context, method string, in []byte) ([]byte, error)
	Close() error
}

type instance struct {
	mod  Module
	refs atomic.Int64
}

// drain waits until no call uses the instance.
func (i *instance) drain(ctx context.Context) error {
	const poll = 5 * time.Millisecond
	t := time.NewTicker(poll)
	defer t.Stop()
	for i.refs.Load() > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
	}
	return nil
}

// Host dispatches calls to loaded modules.
type Host struct {
	mu   sync.RWMutex
	live map[string]*instance
}

// NewHost returns a host without modules.
func NewHost() *Host {
	return &Host{live: make(map[string]*instance)}
}

// Load makes mod available under name and retires a previous module of that
// name.
func (h *Host) Load(ctx context.Context, name string, mod Module) error {
	h.mu.Lock()
	old := h.live[name]
	h.live[name] = &instance{mod: mod}
	h.mu.Unlock()
	return h.retire(ctx, name, old)
}

// Unload removes the module called name.
func (h *Host) Unload(ctx context.Context, name string) error {
	h.mu.Lock()
	old := h.live[name]
	delete(h.live, name)
	h.mu.Unlock()
	if old == nil {
		return ErrUnknown
	}
	return h.retire(ctx, name, old)
}

func (h *Host) retire(ctx context.Context, name string, old *instance) error {
	if old == nil {
		return nil
	}
	if err := old.drain(ctx); err != nil {
		return fmt.Errorf("plugin: %s %s still busy: %w", name, old.mod.Version(), err)
	}
	return old.mod.Close()
}

// Call invokes a method of the module called name.
func (h *Host) Call(ctx context.Context, name, method string, in []byte) ([]byte, error) {
	h.mu.RLock()
	inst, ok := h.live[name]
	if ok {
		inst.refs.Add(1)
	}
	h.mu.RUnlock()
	if !ok {
		return nil, ErrUnknown
	}
	defer inst.refs.Add(-1)

	out, err := inst.mod.Handle(ctx, method, in)
	if err != nil {
		return nil, fmt.Errorf("plugin: %s.%s: %w", name, method, err)
	}
	return out, nil
}

// Versions lists the loaded modules.
func (h *Host) Versions() map[string]string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := make(map[string]string, len(h.live))
	for name, inst := range h.live {
		out[name] = inst.mod.Version()
	}
	return out
}
