// Package plugreg keeps the plugins that a host offers to its users.
package plugreg

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Plugin is an installed plugin.
type Plugin struct {
	Name string
	Path string
}

// Registry maps names to plugins. Its methods may be used concurrently.
type Registry struct {
	mu       sync.RWMutex
	plugins  map[string]Plugin
	fallback string
	disabled map[string]string
}

func newRegistry() *Registry {
	return &Registry{plugins: make(map[string]Plugin), disabled: make(map[string]string)}
}

// Has reports whether there is a plugin of that name.
func (r *Registry) Has(name string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, ok := r.plugins[name]
	return ok
}

// add adds or replaces a plugin.
func (r *Registry) add(p Plugin) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plugins[p.Name] = p
}

// setDefault makes name the plugin for users that do not ask for one.
func (r *Registry) setDefault(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fallback = name
}

// Disable takes a plugin that misbehaves out of use until the next reload. It
// reports whether the caller was the first to do so.
func (r *Registry) Disable(name, reason string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.disabled[name]; ok {
		return false
	}
	r.disabled[name] = reason
	return true
}

// Resolve finds the plugin for a user's choice, which may be empty.
func (r *Registry) Resolve(name string) (Plugin, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if name == "" {
		name = r.fallback
	}
	if reason, ok := r.disabled[name]; ok {
		return Plugin{}, fmt.Errorf("plugreg: %s is disabled: %s", name, reason)
	}
	p, ok := r.plugins[name]
	if !ok {
		return Plugin{}, fmt.Errorf("plugreg: no plugin %q", name)
	}
	return p, nil
}

// Host offers the plugins found in some directories. It is safe for
// concurrent use.
type Host struct {
	dirs      []string
	reloading sync.Mutex
	cur       atomic.Pointer[Registry]
}

// NewHost scans the directories, and again at every interval until ctx ends.
func NewHost(ctx context.Context, interval time.Duration, dirs ...string) (*Host, error) {
	h := &Host{dirs: dirs}
	if err := h.Reload(); err != nil {
		return nil, err
	}
	go func() {
		t := time.NewTicker(interval)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if err := h.Reload(); err != nil {
					log.Printf("plugreg: reload: %v", err)
				}
			}
		}
	}()
	return h, nil
}

// Registry returns the registry of the last scan.
func (h *Host) Registry() *Registry {
	return h.cur.Load()
}

// Reload scans the directories anew; earlier directories win. It also serves
// the operator's reload command.
func (h *Host) Reload() error {
	h.reloading.Lock()
	defer h.reloading.Unlock()
	reg := newRegistry()
	first := ""
	for _, dir := range h.dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), ".plugin")
			if !ok || e.IsDir() {
				continue
			}
			if reg.Has(name) {
				continue
			}
			reg.add(Plugin{Name: name, Path: filepath.Join(dir, e.Name())})
			if first == "" {
				first = name
			}
		}
	}
	if reg.Has("default") {
		reg.setDefault("default")
	} else {
		reg.setDefault(first)
	}
	h.cur.Store(reg)
	return nil
}
