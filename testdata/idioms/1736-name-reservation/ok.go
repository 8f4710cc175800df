package a

import (
	"errors"
	"fmt"
	"sync"
)

var (
	errNameReserved = errors.New("name is reserved")
	errNoContainer  = errors.New("no such container")
)

// nameIndex maps names to the ID of the container that has reserved them.
type nameIndex struct {
	mu    sync.Mutex
	names map[string]string
}

// reserve takes a name for an ID; again for the same ID is no error.
func (x *nameIndex) reserve(name, id string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if owner, ok := x.names[name]; ok && owner != id {
		return fmt.Errorf("%w: %s by %s", errNameReserved, name, owner)
	}
	x.names[name] = id
	return nil
}

// release gives a name back, if it belongs to the ID.
func (x *nameIndex) release(name, id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.names[name] == id {
		delete(x.names, name)
	}
}

func (x *nameIndex) get(name string) (string, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	id, ok := x.names[name]
	return id, ok
}

type container struct {
	id string

	mu      sync.Mutex
	name    string
	removed bool
}

// layerStore makes the writable layer of a container.
type layerStore interface {
	Create(id, image string) error
	Remove(id string) error
}

// daemon creates and removes containers.
type daemon struct {
	layers layerStore
	newID  func() string // random, never the same twice
	names  nameIndex

	mu         sync.RWMutex
	containers map[string]*container
}

func newDaemon(layers layerStore, newID func() string) *daemon {
	return &daemon{
		layers:     layers,
		newID:      newID,
		names:      nameIndex{names: make(map[string]string)},
		containers: make(map[string]*container),
	}
}

// Create makes a container. The name is taken first, and given back when a
// later step fails.
func (d *daemon) Create(name, image string) (id string, err error) {
	id = d.newID()
	if err := d.names.reserve(name, id); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			d.names.release(name, id)
		}
	}()
	if err := d.layers.Create(id, image); err != nil {
		return "", err
	}
	d.mu.Lock()
	d.containers[id] = &container{id: id, name: name}
	d.mu.Unlock()
	return id, nil
}

func (d *daemon) lookup(id string) (*container, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	c, ok := d.containers[id]
	if !ok {
		return nil, errNoContainer
	}
	return c, nil
}

// Rename gives the container a new name. The old one is free afterwards.
func (d *daemon) Rename(id, name string) error {
	c, err := d.lookup(id)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.removed {
		return errNoContainer
	}
	if c.name == name {
		return nil
	}
	if err := d.names.reserve(name, id); err != nil {
		return err
	}
	d.names.release(c.name, id)
	c.name = name
	return nil
}

// Remove drops the container, its layer and its name.
func (d *daemon) Remove(id string) error {
	c, err := d.lookup(id)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.removed {
		return errNoContainer
	}
	if err := d.layers.Remove(id); err != nil {
		return err
	}
	c.removed = true
	d.mu.Lock()
	delete(d.containers, id)
	d.mu.Unlock()
	d.names.release(c.name, id)
	return nil
}

// Resolve finds the ID that has a name; it may still be under construction.
func (d *daemon) Resolve(name string) (string, bool) { return d.names.get(name) }
