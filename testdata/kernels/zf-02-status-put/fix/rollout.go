// Package rollout holds the deployments of a cluster and keeps their status
// up to date.
package rollout

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	// ErrNotFound is returned for an unknown deployment.
	ErrNotFound = errors.New("rollout: no such deployment")
	// ErrExists is returned when a deployment is created twice.
	ErrExists = errors.New("rollout: deployment exists")
)

// Spec is what the user asked for.
type Spec struct {
	Image    string
	Replicas int
}

// Status is what the controller has seen.
type Status struct {
	ObservedGeneration int64
	Ready              int
	Available          bool
}

// Deployment is a stored object. It is never changed once it is in the store;
// a change stores a new one.
type Deployment struct {
	Name       string
	Generation int64
	Spec       Spec
	Status     Status
}

// Store keeps deployments by name. It is safe for concurrent use.
type Store interface {
	Get(name string) (*Deployment, bool)
	Insert(d *Deployment) bool
	Replace(old, d *Deployment) bool
	Delete(name string) bool
	Names() []string
}

type memStore struct {
	objects sync.Map // name -> *Deployment
}

// NewStore returns an empty store.
func NewStore() Store { return &memStore{} }

// Get returns the current object.
func (s *memStore) Get(name string) (*Deployment, bool) {
	v, ok := s.objects.Load(name)
	if !ok {
		return nil, false
	}
	return v.(*Deployment), true
}

// Insert stores a new object and reports false if the name is taken.
func (s *memStore) Insert(d *Deployment) bool {
	_, taken := s.objects.LoadOrStore(d.Name, d)
	return !taken
}

// Replace stores d if old is the current object.
func (s *memStore) Replace(old, d *Deployment) bool {
	return s.objects.CompareAndSwap(old.Name, old, d)
}

// Delete removes an object and reports whether there was one.
func (s *memStore) Delete(name string) bool {
	_, ok := s.objects.LoadAndDelete(name)
	return ok
}

// Names returns the names of all objects.
func (s *memStore) Names() []string {
	var names []string
	s.objects.Range(func(k, _ any) bool {
		names = append(names, k.(string))
		return true
	})
	return names
}

// API serves the requests of users; each runs on its own goroutine.
type API struct {
	store  Store
	status *StatusController
}

// NewAPI returns the front end of the store.
func NewAPI(s Store, c *StatusController) *API { return &API{store: s, status: c} }

// Create adds a deployment.
func (a *API) Create(name string, spec Spec) error {
	if !a.store.Insert(&Deployment{Name: name, Generation: 1, Spec: spec}) {
		return fmt.Errorf("%s: %w", name, ErrExists)
	}
	a.status.Enqueue(name)
	return nil
}

// Scale changes the number of replicas.
func (a *API) Scale(name string, replicas int) error {
	for {
		d, ok := a.store.Get(name)
		if !ok {
			return fmt.Errorf("%s: %w", name, ErrNotFound)
		}
		next := *d
		next.Spec.Replicas = replicas
		next.Generation++
		if a.store.Replace(d, &next) {
			a.status.Enqueue(name)
			return nil
		}
	}
}

// Delete removes a deployment.
func (a *API) Delete(name string) error {
	if !a.store.Delete(name) {
		return fmt.Errorf("%s: %w", name, ErrNotFound)
	}
	return nil
}

// PodLister counts the ready pods of a deployment.
type PodLister interface {
	Ready(ctx context.Context, deployment string) (int, error)
}

// StatusController writes the status of deployments.
type StatusController struct {
	store  Store
	pods   PodLister
	queue  chan string
	resync time.Duration
}

// NewStatusController returns a controller for the deployments in s.
func NewStatusController(s Store, pods PodLister, resync time.Duration) *StatusController {
	return &StatusController{store: s, pods: pods, queue: make(chan string, 256), resync: resync}
}

// Enqueue asks for a pass over one deployment. When the queue is full the
// next resync does it.
func (c *StatusController) Enqueue(name string) {
	select {
	case c.queue <- name:
	default:
	}
}

// Run works until ctx is done.
func (c *StatusController) Run(ctx context.Context) {
	tick := time.NewTicker(c.resync)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case name := <-c.queue:
			c.refresh(ctx, name)
		case <-tick.C:
			for _, name := range c.store.Names() {
				c.refresh(ctx, name)
			}
		}
	}
}

// refresh counts the pods of a deployment and stores its status.
func (c *StatusController) refresh(ctx context.Context, name string) {
	d, ok := c.store.Get(name)
	if !ok {
		return
	}
	ready, err := c.pods.Ready(ctx, name)
	if err != nil {
		return // the next resync tries again
	}
	next := *d
	next.Status = Status{
		ObservedGeneration: d.Generation,
		Ready:              ready,
		Available:          ready >= d.Spec.Replicas,
	}
	if next.Status == d.Status {
		return
	}
	if !c.store.Replace(d, &next) {
		c.Enqueue(name)
	}
}
