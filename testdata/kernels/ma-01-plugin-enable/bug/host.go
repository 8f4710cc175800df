// Package plughost runs optional extensions inside the gateway process.
package plughost

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sort"
	"sync"
	"time"
)

var (
	ErrNotRunning     = errors.New("plughost: plug-in is not running")
	ErrAlreadyRunning = errors.New("plughost: plug-in is already running")
	ErrNoFactory      = errors.New("plughost: no factory for kind")
)

// Plugin is what an extension implements.
type Plugin interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
}

// Factory builds a plug-in from its settings.
type Factory func(settings map[string]string) (Plugin, error)

// Manifest describes one plug-in to run.
type Manifest struct {
	Name     string
	Kind     string
	Settings map[string]string
}

type instance struct {
	name    string
	plugin  Plugin
	started time.Time
}

// Host owns all running plug-ins.
type Host struct {
	factories map[string]Factory
	stopGrace time.Duration

	mu      sync.RWMutex
	running map[string]*instance
}

// New returns a host that can build the given kinds.
func New(factories map[string]Factory) *Host {
	kinds := make(map[string]Factory, len(factories))
	for kind, f := range factories {
		kinds[kind] = f
	}
	return &Host{
		factories: kinds,
		stopGrace: 5 * time.Second,
		running:   make(map[string]*instance),
	}
}

func (h *Host) find(name string) (*instance, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	inst, ok := h.running[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNotRunning, name)
	}
	return inst, nil
}

func (h *Host) attach(inst *instance) {
	h.mu.Lock()
	h.running[inst.name] = inst
	h.mu.Unlock()
}

func (h *Host) launch(ctx context.Context, m Manifest) (*instance, error) {
	build, ok := h.factories[m.Kind]
	if !ok {
		return nil, fmt.Errorf("%w %q", ErrNoFactory, m.Kind)
	}
	p, err := build(m.Settings)
	if err != nil {
		return nil, fmt.Errorf("plughost: build %s: %w", m.Name, err)
	}
	if err := p.Start(ctx); err != nil {
		return nil, fmt.Errorf("plughost: start %s: %w", m.Name, err)
	}
	return &instance{name: m.Name, plugin: p, started: time.Now()}, nil
}

func (h *Host) stop(inst *instance) {
	ctx, cancel := context.WithTimeout(context.Background(), h.stopGrace)
	defer cancel()
	if err := inst.plugin.Stop(ctx); err != nil {
		log.Printf("plughost: stop %s: %v", inst.name, err)
	}
}

// Enable starts the plug-in of the manifest. It is called by the admin API and
// by the reconciler that follows the desired state.
func (h *Host) Enable(ctx context.Context, m Manifest) error {
	switch _, err := h.find(m.Name); {
	case err == nil:
		return fmt.Errorf("%w: %s", ErrAlreadyRunning, m.Name)
	case !errors.Is(err, ErrNotRunning):
		return err
	}
	inst, err := h.launch(ctx, m)
	if err != nil {
		return err
	}
	h.attach(inst)
	log.Printf("plughost: %s is up", m.Name)
	return nil
}

// Disable stops the named plug-in.
func (h *Host) Disable(name string) error {
	h.mu.Lock()
	inst, ok := h.running[name]
	if !ok {
		h.mu.Unlock()
		return fmt.Errorf("%w: %s", ErrNotRunning, name)
	}
	delete(h.running, name)
	h.mu.Unlock()
	h.stop(inst)
	return nil
}

// Names lists the running plug-ins in order.
func (h *Host) Names() []string {
	h.mu.RLock()
	names := make([]string, 0, len(h.running))
	for name := range h.running {
		names = append(names, name)
	}
	h.mu.RUnlock()
	sort.Strings(names)
	return names
}
