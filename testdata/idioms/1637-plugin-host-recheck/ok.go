package a

import (
	"errors"
	"fmt"
	"sync"
)

var ErrClosed = errors.New("plugin: host is closed")

type Plugin interface {
	Name() string
	Close() error
}

type Opener func(path string) (Plugin, error)

type Host struct {
	open  Opener
	paths map[string]string // set up by NewHost only

	mu     sync.RWMutex
	loaded map[string]Plugin
	closed bool
	opens  int
}

func NewHost(open Opener, paths map[string]string) *Host {
	h := &Host{open: open, paths: make(map[string]string, len(paths)), loaded: make(map[string]Plugin)}
	for k, v := range paths {
		h.paths[k] = v
	}
	return h
}

func (h *Host) peek(name string) (p Plugin, closed bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.loaded[name], h.closed
}

func (h *Host) Get(name string) (Plugin, error) {
	p, closed := h.peek(name)
	if closed {
		return nil, ErrClosed
	}
	if p != nil {
		return p, nil
	}
	path, ok := h.paths[name]
	if !ok {
		return nil, fmt.Errorf("plugin: %q is not installed", name)
	}

	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	if p := h.loaded[name]; p != nil {
		return p, nil
	}
	p, err := h.open(path)
	if err != nil {
		return nil, err
	}
	h.loaded[name] = p
	h.opens++
	return p, nil
}

func (h *Host) Loaded() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.loaded)
}

func (h *Host) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	var errs []error
	for name, p := range h.loaded {
		errs = append(errs, p.Close())
		delete(h.loaded, name)
	}
	return errors.Join(errs...)
}
