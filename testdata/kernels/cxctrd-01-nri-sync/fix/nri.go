// Package fix connects the container runtime with resource plugins.
package fix

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Container is what plugins see of a container.
type Container struct {
	ID   string
	Spec map[string]string
}

// Plugin is a connected plugin.
type Plugin interface {
	Name() string
	Synchronize(ctx context.Context, containers []*Container) error
	CreateContainer(ctx context.Context, c *Container) (map[string]string, error)
	RemoveContainer(ctx context.Context, id string) error
}

// SyncFn is called to bring a plugin up to date.
type SyncFn func(ctx context.Context, cb func(context.Context, []*Container) error) error

// Adaptation is the runtime's end of the plugin connections.
type Adaptation struct {
	mu      sync.Mutex
	plugins []Plugin
	syncFn  SyncFn

	// syncLock blocks the synchronization of new plugins
	syncLock sync.RWMutex
}

// acceptPluginConnections serves the socket.
func (r *Adaptation) acceptPluginConnections(ctx context.Context, conns <-chan Plugin) {
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-conns:
			if err := r.registerPlugin(ctx, p); err != nil {
				fmt.Printf("failed to register plugin %s: %v\n", p.Name(), err)
			}
		}
	}
}

func (r *Adaptation) registerPlugin(ctx context.Context, p Plugin) error {
	r.syncLock.Lock()
	defer r.syncLock.Unlock()

	if err := r.syncFn(ctx, p.Synchronize); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plugins = append(r.plugins, p)
	return nil
}

// PluginSyncBlock keeps new plugins out until it is unblocked.
type PluginSyncBlock struct {
	r    *Adaptation
	once sync.Once
}

// BlockPluginSync blocks plugin synchronization until it is Unblock()ed.
func (r *Adaptation) BlockPluginSync() *PluginSyncBlock {
	r.syncLock.RLock()
	return &PluginSyncBlock{r: r}
}

// Unblock lets plugins in again.
func (b *PluginSyncBlock) Unblock() {
	b.once.Do(b.r.syncLock.RUnlock)
}

// CreateContainer relays the event; the plugins may adjust the container.
func (r *Adaptation) CreateContainer(ctx context.Context, c *Container) (map[string]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	adjust := make(map[string]string)
	for _, p := range r.plugins {
		a, err := p.CreateContainer(ctx, c)
		if err != nil {
			return nil, err
		}
		for k, v := range a {
			adjust[k] = v
		}
	}
	return adjust, nil
}

// RemoveContainer relays the event.
func (r *Adaptation) RemoveContainer(ctx context.Context, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.plugins {
		if err := p.RemoveContainer(ctx, id); err != nil {
			fmt.Printf("plugin %s: %v\n", p.Name(), err)
		}
	}
}

// containerStore stores all containers.
type containerStore struct {
	lock       sync.RWMutex
	containers map[string]*Container
}

func (s *containerStore) Add(c *Container) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if _, ok := s.containers[c.ID]; ok {
		return errors.New("already exists")
	}
	s.containers[c.ID] = c
	return nil
}

func (s *containerStore) List() []*Container {
	s.lock.RLock()
	defer s.lock.RUnlock()
	var containers []*Container
	for _, c := range s.containers {
		containers = append(containers, c)
	}
	return containers
}

func (s *containerStore) Delete(id string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.containers, id)
}

// criService serves the kubelet.
type criService struct {
	containerStore *containerStore
	nri            *Adaptation
}

func newCRIService() *criService {
	c := &criService{containerStore: &containerStore{containers: make(map[string]*Container)}}
	c.nri = &Adaptation{syncFn: c.syncPlugin}
	return c
}

func (c *criService) syncPlugin(ctx context.Context, cb func(context.Context, []*Container) error) error {
	return cb(ctx, c.containerStore.List())
}

// CreateContainer creates a container with a new unique id.
func (c *criService) CreateContainer(ctx context.Context, id string) error {
	defer c.nri.BlockPluginSync().Unblock()

	spec, err := c.nri.CreateContainer(ctx, &Container{ID: id})
	if err != nil {
		return err
	}
	// The stored container is never changed.
	return c.containerStore.Add(&Container{ID: id, Spec: spec})
}

// RemoveContainer removes a container. It may be called again.
func (c *criService) RemoveContainer(ctx context.Context, id string) {
	defer c.nri.BlockPluginSync().Unblock()

	c.nri.RemoveContainer(ctx, id)
	c.containerStore.Delete(id)
}
