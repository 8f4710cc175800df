package a

import (
	"errors"
	"sync"
)

// Errors of the daemon.
var (
	ErrNameInUse = errors.New("daemon: name in use")
	ErrPortInUse = errors.New("daemon: port in use")
)

type table[K comparable, V any] struct {
	mu sync.RWMutex
	m  map[K]V
}

func newTable[K comparable, V any]() *table[K, V] {
	return &table[K, V]{m: make(map[K]V)}
}

func (t *table[K, V]) get(k K) (V, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok := t.m[k]
	return v, ok
}

func (t *table[K, V]) put(k K, v V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v
}

func (t *table[K, V]) del(k K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.m, k)
}

// Daemon knows the containers and the ports they have.
type Daemon struct {
	state sync.Mutex
	names *table[string, int]
	ports *table[int, string]
}

// NewDaemon returns a daemon without containers.
func NewDaemon() *Daemon {
	return &Daemon{names: newTable[string, int](), ports: newTable[int, string]()}
}

// Create registers a container under name with the given port.
func (d *Daemon) Create(name string, port int) error {
	d.state.Lock()
	defer d.state.Unlock()
	if _, ok := d.names.get(name); ok {
		return ErrNameInUse
	}
	if _, ok := d.ports.get(port); ok {
		return ErrPortInUse
	}
	d.names.put(name, port)
	d.ports.put(port, name)
	return nil
}

// Rename gives a container another name.
func (d *Daemon) Rename(from, to string) error {
	d.state.Lock()
	defer d.state.Unlock()
	port, ok := d.names.get(from)
	if !ok || from == to {
		return nil
	}
	if _, ok := d.names.get(to); ok {
		return ErrNameInUse
	}
	d.names.del(from)
	d.names.put(to, port)
	d.ports.put(port, to)
	return nil
}

// Remove forgets a container.
func (d *Daemon) Remove(name string) {
	d.state.Lock()
	defer d.state.Unlock()
	if port, ok := d.names.get(name); ok {
		d.ports.del(port)
		d.names.del(name)
	}
}

// Owner returns the name of the container that has the port.
func (d *Daemon) Owner(port int) (string, bool) {
	return d.ports.get(port)
}
