// Package a manages the containers of one host and their names.
package a

import (
	"errors"
	"fmt"
	"sync"
)

var (
	ErrNameInUse = errors.New("name is already in use")
	ErrNotFound  = errors.New("no such container")
	ErrRemoved   = errors.New("container is being removed")
	ErrSameName  = errors.New("new name is the same as the current name")
)

// registrar maps names to container IDs, one ID for each name.
type registrar struct {
	mu    sync.Mutex
	names map[string]string
}

func newRegistrar() *registrar {
	return &registrar{names: make(map[string]string)}
}

// Reserve claims a name for id and fails when it is taken.
func (r *registrar) Reserve(name, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if owner, ok := r.names[name]; ok {
		return fmt.Errorf("%w: %q by %s", ErrNameInUse, name, owner)
	}
	r.names[name] = id
	return nil
}

// Release gives a name back.
func (r *registrar) Release(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.names, name)
}

// Lookup returns the ID that holds a name.
func (r *registrar) Lookup(name string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id, ok := r.names[name]
	return id, ok
}

// Container is one container. mu protects the fields below it.
type Container struct {
	ID    string
	Image string

	mu      sync.Mutex
	name    string
	removed bool
}

// Name returns the current name.
func (c *Container) Name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

// configStore persists the configuration of a container.
type configStore interface {
	SaveName(id, name string) error
	Delete(id string) error
}

// Daemon owns the containers.
type Daemon struct {
	names *registrar
	disk  configStore

	mu         sync.RWMutex
	containers map[string]*Container
}

// NewDaemon returns a daemon without containers.
func NewDaemon(disk configStore) *Daemon {
	return &Daemon{
		names:      newRegistrar(),
		disk:       disk,
		containers: make(map[string]*Container),
	}
}

func (d *Daemon) lookup(id string) (*Container, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	c, ok := d.containers[id]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return c, nil
}

// Create registers a new container. The ID is random and never reused.
func (d *Daemon) Create(id, image, name string) (*Container, error) {
	if err := d.names.Reserve(name, id); err != nil {
		return nil, err
	}
	if err := d.disk.SaveName(id, name); err != nil {
		d.names.Release(name)
		return nil, err
	}
	c := &Container{ID: id, Image: image, name: name}
	d.mu.Lock()
	d.containers[id] = c
	d.mu.Unlock()
	return c, nil
}

// ByName finds a container by its name.
func (d *Daemon) ByName(name string) (*Container, error) {
	id, ok := d.names.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, name)
	}
	return d.lookup(id)
}

// Rename gives the container another name; the previous one becomes free for
// other containers.
func (d *Daemon) Rename(id, newName string) error {
	c, err := d.lookup(id)
	if err != nil {
		return err
	}

	c.mu.Lock()
	oldName, removed := c.name, c.removed
	c.mu.Unlock()
	if removed {
		return ErrRemoved
	}
	if newName == oldName {
		return ErrSameName
	}
	if err := d.names.Reserve(newName, id); err != nil {
		return err
	}
	if err := d.disk.SaveName(id, newName); err != nil {
		d.names.Release(newName)
		return fmt.Errorf("rename %s: %w", id, err)
	}

	c.mu.Lock()
	c.name = newName
	c.mu.Unlock()
	d.names.Release(oldName)
	return nil
}

// Remove deletes the container and frees its name.
func (d *Daemon) Remove(id string) error {
	c, err := d.lookup(id)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.removed {
		return ErrRemoved
	}
	if err := d.disk.Delete(id); err != nil {
		return fmt.Errorf("remove %s: %w", id, err)
	}
	c.removed = true
	d.mu.Lock()
	delete(d.containers, id)
	d.mu.Unlock()
	d.names.Release(c.name)
	return nil
}
