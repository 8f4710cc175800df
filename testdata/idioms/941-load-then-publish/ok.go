// Package extensions loads the extensions of an editor and dispatches
// commands to them.
package extensions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

var (
	// ErrUnknown is returned for an extension that is not loaded.
	ErrUnknown = errors.New("extensions: not loaded")
	// ErrLoaded is returned when an extension is loaded twice.
	ErrLoaded = errors.New("extensions: loaded already")
	// ErrNoCommand is returned for a command an extension does not have.
	ErrNoCommand = errors.New("extensions: no such command")
	// ErrUnloaded is returned when an extension went away.
	ErrUnloaded = errors.New("extensions: unloaded")
)

// Command is a command of an extension. It only reads the options it is given
// and does not call back into its own extension.
type Command func(ctx context.Context, options map[string]string, arg string) (string, error)

// Manifest says what an extension brings along.
type Manifest struct {
	Name     string
	Defaults map[string]string
	Commands map[string]Command
	// Activate is called once before the first command, Deactivate after the
	// last one. They concern this load only; another one of the same name may
	// be active for a moment.
	Activate   func(ctx context.Context) error
	Deactivate func()
}

// Extension is a loaded extension.
type Extension struct {
	name       string
	deactivate func()

	mu       sync.RWMutex
	options  map[string]string
	commands map[string]Command
	unloaded bool
}

// SetOption changes an option.
func (e *Extension) SetOption(key, value string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	next := maps.Clone(e.options)
	if next == nil {
		next = make(map[string]string)
	}
	next[key] = value
	e.options = next // a command may have kept the old map
}

// addCommand makes a command available.
func (e *Extension) addCommand(name string, c Command) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if name == "" || c == nil {
		return fmt.Errorf("%s: bad command %q", e.name, name)
	}
	e.commands[name] = c
	return nil
}

// Commands returns the names of the commands, in order.
func (e *Extension) Commands() []string {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return slices.Sorted(maps.Keys(e.commands))
}

// run runs a command. The extension is not unloaded before it returns.
func (e *Extension) run(ctx context.Context, name, arg string) (string, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.unloaded {
		return "", fmt.Errorf("%s: %w", e.name, ErrUnloaded)
	}
	c, ok := e.commands[name]
	if !ok {
		return "", fmt.Errorf("%s: %s: %w", e.name, name, ErrNoCommand)
	}
	return c(ctx, e.options, arg)
}

// unload waits for the commands in work and deactivates the extension.
func (e *Extension) unload() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.unloaded = true
	if e.deactivate != nil {
		e.deactivate()
	}
}

// Host holds the loaded extensions. It is safe for concurrent use.
type Host struct {
	mu     sync.RWMutex
	loaded map[string]*Extension
}

// NewHost returns a host without extensions.
func NewHost() *Host { return &Host{loaded: make(map[string]*Extension)} }

// Load sets an extension up and makes it available.
func (h *Host) Load(ctx context.Context, m Manifest) error {
	e := &Extension{name: m.Name, commands: make(map[string]Command)}
	for k, v := range m.Defaults {
		e.SetOption(k, v)
	}
	for name, c := range m.Commands {
		if err := e.addCommand(name, c); err != nil {
			return err
		}
	}
	if len(e.Commands()) == 0 {
		return fmt.Errorf("%s: no commands", m.Name)
	}
	if m.Activate != nil {
		if err := m.Activate(ctx); err != nil {
			return fmt.Errorf("activate %s: %w", m.Name, err)
		}
	}
	e.deactivate = m.Deactivate
	if err := h.publish(e); err != nil {
		e.unload()
		return err
	}
	return nil
}

// publish makes an extension available.
func (h *Host) publish(e *Extension) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, taken := h.loaded[e.name]; taken {
		return fmt.Errorf("%s: %w", e.name, ErrLoaded)
	}
	h.loaded[e.name] = e
	return nil
}

// Extension returns a loaded extension.
func (h *Host) Extension(name string) (*Extension, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	e, ok := h.loaded[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, ErrUnknown)
	}
	return e, nil
}

// Run runs a command of an extension.
func (h *Host) Run(ctx context.Context, extension, command, arg string) (string, error) {
	e, err := h.Extension(extension)
	if err != nil {
		return "", err
	}
	return e.run(ctx, command, arg)
}

// Unload takes an extension out of the host.
func (h *Host) Unload(name string) error {
	h.mu.Lock()
	e, ok := h.loaded[name]
	delete(h.loaded, name)
	h.mu.Unlock()
	if !ok {
		return fmt.Errorf("%s: %w", name, ErrUnknown)
	}
	e.unload()
	return nil
}
