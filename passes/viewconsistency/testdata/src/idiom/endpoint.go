package idiom

import (
	"fmt"
	"sync"
)

// An Endpoint has a text that errors show, and a handler. Close resets both.
type Endpoint struct {
	mu      sync.Mutex
	open    int
	addr    string
	handler func() string

	serving sync.Mutex
}

// Open sets the handler.
func (e *Endpoint) Open(addr string, handler func() string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open, e.addr, e.handler = e.open+1, addr, handler
}

// Close resets all.
func (e *Endpoint) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open, e.addr, e.handler = e.open-1, "", nil
}

func (e *Endpoint) listen(addr string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open > 0 {
		return fmt.Errorf("in use by %s", e.addr)
	}
	return nil
}

func (e *Endpoint) attach(handler func() string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.handler != nil {
		return fmt.Errorf("has a handler")
	}
	e.handler = handler
	return nil
}

// Serve returns the one error or the other, from a variable that deferred calls could change.
func (e *Endpoint) Serve(addr string, handler func() string) (bool, error) {
	e.serving.Lock()
	defer e.serving.Unlock()
	if err := e.listen(addr); err != nil {
		return false, err
	}
	if err := e.attach(handler); err != nil {
		return false, err
	}
	return true, nil
}
