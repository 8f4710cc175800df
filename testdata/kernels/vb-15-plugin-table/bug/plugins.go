package plugins

import (
	"errors"
	"fmt"
	"sync"
)

// Handler does the work of a plugin.
type Handler interface {
	Handle(req string) (string, error)
}

type Echo struct{ Prefix string }

func (e Echo) Handle(req string) (string, error) { return e.Prefix + req, nil }

type slot struct {
	sync.Mutex
	h     Handler
	calls int
}

var (
	tableMu sync.RWMutex
	table   = map[string]*slot{}
)

var ErrExists = errors.New("plugins: already loaded")

func (s *slot) install(h Handler) {
	s.Lock()
	defer s.Unlock()
	s.h = h
}

func reserve(name string, s *slot) error {
	tableMu.Lock()
	defer tableMu.Unlock()
	if _, dup := table[name]; dup {
		return fmt.Errorf("%w: %s", ErrExists, name)
	}
	table[name] = s
	return nil
}

// Load makes the handler callable under name.
func Load(name string, h Handler) error {
	s := new(slot)
	if err := reserve(name, s); err != nil {
		return err
	}
	s.install(h)
	return nil
}

func Unload(name string) {
	tableMu.Lock()
	defer tableMu.Unlock()
	delete(table, name)
}

// Call runs the named plugin; calls to one plugin are serialised.
func Call(name, req string) (string, error) {
	tableMu.RLock()
	s, ok := table[name]
	tableMu.RUnlock()
	if !ok {
		return "", fmt.Errorf("plugins: no plugin %q", name)
	}
	s.Lock()
	defer s.Unlock()
	s.calls++
	return s.h.Handle(req)
}
