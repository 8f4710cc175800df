// Package host runs plugins as child processes, on demand.
package host

import (
	"fmt"
	"log"
	"sync"
)

type State int

const (
	Stopped State = iota
	Starting
	Running
	Crashed
)

// Process is a running plugin.
type Process interface {
	// Wait blocks until the process has ended.
	Wait() error
	Kill() error
}

// Launcher starts the executable of a plugin and returns once the plugin has
// finished its handshake.
type Launcher interface {
	Launch(path string) (Process, error)
}

// Plugin is one configured plugin.
type Plugin struct {
	Name string
	path string

	mu    sync.Mutex
	state State
	proc  Process
}

func (p *Plugin) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

func (p *Plugin) setState(s State) {
	p.mu.Lock()
	p.state = s
	p.mu.Unlock()
}

func (p *Plugin) launch(l Launcher) error {
	p.setState(Starting)
	proc, err := l.Launch(p.path)
	if err != nil {
		p.setState(Crashed)
		return fmt.Errorf("plugin %s: %w", p.Name, err)
	}
	p.mu.Lock()
	p.proc = proc
	p.state = Running
	p.mu.Unlock()
	go p.watch(proc)
	return nil
}

// watch notes the end of the process.
func (p *Plugin) watch(proc Process) {
	err := proc.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.proc != proc {
		return
	}
	p.proc = nil
	if err != nil {
		p.state = Crashed
		log.Printf("plugin %s: %v", p.Name, err)
		return
	}
	p.state = Stopped
}

// Stop ends a running plugin.
func (p *Plugin) Stop() error {
	p.mu.Lock()
	proc := p.proc
	p.mu.Unlock()
	if proc == nil {
		return nil
	}
	return proc.Kill()
}

// Host knows all plugins; the set is fixed when the host is built.
type Host struct {
	launcher Launcher
	plugins  map[string]*Plugin
}

func New(l Launcher, paths map[string]string) *Host {
	h := &Host{launcher: l, plugins: make(map[string]*Plugin)}
	for name, path := range paths {
		h.plugins[name] = &Plugin{Name: name, path: path}
	}
	return h
}

// Ensure starts the plugin unless it is up or on its way up. Request handlers
// call it before they use a plugin.
func (h *Host) Ensure(name string) error {
	p, ok := h.plugins[name]
	if !ok {
		return fmt.Errorf("no plugin %q", name)
	}
	switch p.State() {
	case Running, Starting:
		return nil
	}
	return p.launch(h.launcher)
}

// StopAll is called when the host shuts down, after the last request handler
// has returned.
func (h *Host) StopAll() {
	for _, p := range h.plugins {
		if err := p.Stop(); err != nil {
			log.Printf("plugin %s: %v", p.Name, err)
		}
	}
}
