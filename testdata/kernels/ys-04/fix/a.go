package scheduler

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrNoCapacity = errors.New("scheduler: no node has room")
	ErrConflict   = errors.New("scheduler: node changed, try again")
	ErrDuplicate  = errors.New("scheduler: container is already placed")
)

type Container struct {
	Name    string
	CPU     int
	MemMB   int
	Tenancy string
}

type node struct {
	name    string
	freeCPU int
	freeMem int
	running map[string]Container
}

func (n *node) fits(c Container) bool {
	return n.freeCPU >= c.CPU && n.freeMem >= c.MemMB
}

// Admission decides whether a tenant may run on a node. It may ask a remote
// policy server.
type Admission interface {
	Allow(ctx context.Context, tenancy, node string) (bool, error)
}

// Cluster is the scheduler's view of the machines.
type Cluster struct {
	sync.Mutex
	nodes  []node
	placed map[string]string // container -> node

	admission Admission
}

func NewCluster(a Admission) *Cluster {
	return &Cluster{placed: make(map[string]string), admission: a}
}

// Join adds a machine.
func (c *Cluster) Join(name string, cpu, memMB int) error {
	c.Lock()
	defer c.Unlock()
	for i := range c.nodes {
		if c.nodes[i].name == name {
			return fmt.Errorf("scheduler: node %s joined twice", name)
		}
	}
	c.nodes = append(c.nodes, node{name: name, freeCPU: cpu, freeMem: memMB, running: make(map[string]Container)})
	return nil
}

// Drain removes a machine and returns what ran there.
func (c *Cluster) Drain(name string) []Container {
	c.Lock()
	defer c.Unlock()
	for i := range c.nodes {
		if c.nodes[i].name != name {
			continue
		}
		var evicted []Container
		for _, ct := range c.nodes[i].running {
			delete(c.placed, ct.Name)
			evicted = append(evicted, ct)
		}
		last := len(c.nodes) - 1
		c.nodes[i] = c.nodes[last]
		c.nodes = c.nodes[:last]
		return evicted
	}
	return nil
}

// tightest returns the node with the least spare CPU that can take ct.
func (c *Cluster) tightest(ct Container, skip map[string]bool) (string, error) {
	c.Lock()
	defer c.Unlock()
	best := -1
	for i := range c.nodes {
		n := &c.nodes[i]
		if skip[n.name] || !n.fits(ct) {
			continue
		}
		if best < 0 || n.freeCPU < c.nodes[best].freeCPU {
			best = i
		}
	}
	if best < 0 {
		return "", ErrNoCapacity
	}
	return c.nodes[best].name, nil
}

func (c *Cluster) bind(name string, ct Container) error {
	c.Lock()
	defer c.Unlock()
	if _, dup := c.placed[ct.Name]; dup {
		return ErrDuplicate
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		if n.name != name {
			continue
		}
		if !n.fits(ct) {
			return ErrConflict
		}
		n.freeCPU -= ct.CPU
		n.freeMem -= ct.MemMB
		n.running[ct.Name] = ct
		c.placed[ct.Name] = n.name
		return nil
	}
	return ErrConflict
}

// Schedule places one container. It is called by the API handlers and by the
// reconciler.
func (c *Cluster) Schedule(ctx context.Context, ct Container) error {
	denied := make(map[string]bool)
	for {
		name, err := c.tightest(ct, denied)
		if err != nil {
			return err
		}
		ok, err := c.admission.Allow(ctx, ct.Tenancy, name)
		if err != nil {
			return fmt.Errorf("scheduler: admission of %s on %s: %w", ct.Name, name, err)
		}
		if !ok {
			denied[name] = true
			continue
		}
		return c.bind(name, ct)
	}
}

// NodeOf tells where a container runs.
func (c *Cluster) NodeOf(container string) (string, bool) {
	c.Lock()
	defer c.Unlock()
	n, ok := c.placed[container]
	return n, ok
}
