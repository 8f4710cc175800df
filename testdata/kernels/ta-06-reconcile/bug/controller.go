// Package reconcile drives worker pools to the size users ask for.
package reconcile

import (
	"context"
	"errors"
	"log"
	"sync"
)

var (
	// ErrNotFound is returned for unknown pools.
	ErrNotFound = errors.New("reconcile: no such pool")
	// ErrExists is returned when a pool is created twice.
	ErrExists = errors.New("reconcile: pool exists")
)

// Pool is the desired and observed state of one worker pool.
type Pool struct {
	Name       string
	Generation int64
	Replicas   int
	Image      string

	ObservedGeneration int64
	Ready              int
	LastError          string
}

// Store keeps pools in memory.
type Store struct {
	mu    sync.Mutex
	pools map[string]Pool
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{pools: make(map[string]Pool)} }

// Get returns a copy of the pool.
func (s *Store) Get(name string) (Pool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.pools[name]
	if !ok {
		return Pool{}, ErrNotFound
	}
	return p, nil
}

// Add stores a new pool.
func (s *Store) Add(p Pool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.pools[p.Name]; ok {
		return ErrExists
	}
	s.pools[p.Name] = p
	return nil
}

// Put writes the pool.
func (s *Store) Put(p Pool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pools[p.Name] = p
}

// Modify applies fn to the stored pool.
func (s *Store) Modify(name string, fn func(*Pool)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.pools[name]
	if !ok {
		return ErrNotFound
	}
	fn(&p)
	s.pools[name] = p
	return nil
}

// Runtime starts and stops workers; Ensure may take seconds.
type Runtime interface {
	Ensure(ctx context.Context, name, image string, replicas int) (ready int, err error)
}

// Controller reconciles pools one at a time from a queue.
type Controller struct {
	store *Store
	rt    Runtime
	queue chan string
}

// NewController returns a controller; call Run to start it.
func NewController(store *Store, rt Runtime) *Controller {
	return &Controller{store: store, rt: rt, queue: make(chan string, 256)}
}

// Create registers a new pool.
func (c *Controller) Create(name, image string, replicas int) error {
	err := c.store.Add(Pool{Name: name, Generation: 1, Image: image, Replicas: replicas})
	if err == nil {
		c.queue <- name
	}
	return err
}

// Scale changes the wanted size of a pool.
func (c *Controller) Scale(name string, replicas int) error {
	err := c.store.Modify(name, func(p *Pool) {
		p.Replicas = replicas
		p.Generation++
	})
	if err == nil {
		c.queue <- name
	}
	return err
}

// Run works off the queue until ctx ends.
func (c *Controller) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case name := <-c.queue:
			if err := c.reconcile(ctx, name); err != nil {
				log.Printf("reconcile %s: %v", name, err)
			}
		}
	}
}

func (c *Controller) reconcile(ctx context.Context, name string) error {
	p, err := c.store.Get(name)
	if err != nil {
		return err
	}
	ready, err := c.rt.Ensure(ctx, p.Name, p.Image, p.Replicas)
	p.LastError = ""
	if err != nil {
		p.LastError = err.Error()
	}
	p.Ready = ready
	p.ObservedGeneration = p.Generation
	c.store.Put(p)
	return err
}
