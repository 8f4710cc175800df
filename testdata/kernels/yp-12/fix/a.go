package a

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"slices"
	"sync"
)

var (
	ErrDuplicate = errors.New("plugin: name already registered")
	ErrUnknown   = errors.New("plugin: unknown name")
	ErrDisabled  = errors.New("plugin: disabled")
)

// Handler is what a plugin implements.
type Handler interface {
	Handle(ctx context.Context, payload []byte) ([]byte, error)
	io.Closer
}

// Factory opens a plugin; it may dial the plugin's process.
type Factory func(ctx context.Context, options map[string]string) (Handler, error)

// Plugin is one entry of the registry.
type Plugin struct {
	name string

	mu       sync.RWMutex
	handler  Handler
	disabled bool
}

// SetDisabled switches the plugin off or on.
func (p *Plugin) SetDisabled(off bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.disabled = off
}

func (p *Plugin) current() (Handler, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.disabled {
		return nil, ErrDisabled
	}
	return p.handler, nil
}

// Registry finds plugins by name.
type Registry struct {
	mu      sync.RWMutex
	plugins map[string]*Plugin
}

func NewRegistry() *Registry {
	return &Registry{plugins: make(map[string]*Plugin)}
}

func (r *Registry) add(p *Plugin) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, dup := r.plugins[p.name]; dup {
		return false
	}
	r.plugins[p.name] = p
	return true
}

// Get returns the plugin with that name.
func (r *Registry) Get(name string) (*Plugin, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	p, ok := r.plugins[name]
	return p, ok
}

// Names lists the registered plugins.
func (r *Registry) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var out []string
	for name := range r.plugins {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Register opens a plugin and makes it available.
func (r *Registry) Register(ctx context.Context, name string, open Factory, options map[string]string) error {
	h, err := open(ctx, options)
	if err != nil {
		return fmt.Errorf("plugin %s: %w", name, err)
	}
	if !r.add(&Plugin{name: name, handler: h}) {
		return errors.Join(ErrDuplicate, h.Close())
	}
	return nil
}

// Dispatch sends a payload to the named plugin.
func (r *Registry) Dispatch(ctx context.Context, name string, payload []byte) ([]byte, error) {
	p, ok := r.Get(name)
	if !ok {
		return nil, ErrUnknown
	}
	h, err := p.current()
	if err != nil {
		return nil, err
	}
	return h.Handle(ctx, payload)
}

// Event is a message for one plugin.
type Event struct {
	Plugin  string
	Payload []byte
}

// Run loads the plugins in parallel and dispatches events meanwhile.
func Run(ctx context.Context, r *Registry, load map[string]Factory, events <-chan Event) {
	for name, open := range load {
		go func() {
			if err := r.Register(ctx, name, open, nil); err != nil {
				log.Print(err)
			}
		}()
	}
	for ev := range events {
		go func() {
			if _, err := r.Dispatch(ctx, ev.Plugin, ev.Payload); err != nil {
				log.Printf("event for %s: %v", ev.Plugin, err)
			}
		}()
	}
}
