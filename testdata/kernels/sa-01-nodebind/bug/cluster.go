// Package nodebind places pods on the nodes of a cluster.
package nodebind

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrUnschedulable = errors.New("nodebind: no node has room")
	ErrBound         = errors.New("nodebind: pod is already bound")
)

// Request is what a pod asks of its node.
type Request struct {
	MilliCPU int64
	Memory   int64
}

// Pod is a unit of work to be placed.
type Pod struct {
	Name string
	Request
}

type node struct {
	name     string
	capacity Request
	used     Request
	pods     map[string]Request
}

func (n *node) fits(r Request) bool {
	return n.used.MilliCPU+r.MilliCPU <= n.capacity.MilliCPU &&
		n.used.Memory+r.Memory <= n.capacity.Memory
}

func (n *node) score(r Request) int64 {
	cpu := (n.capacity.MilliCPU - n.used.MilliCPU - r.MilliCPU) * 100 / n.capacity.MilliCPU
	mem := (n.capacity.Memory - n.used.Memory - r.Memory) * 100 / n.capacity.Memory
	return cpu + mem
}

// Cluster is the scheduler's view of all nodes.
type Cluster struct {
	sync.RWMutex
	nodes map[string]*node
	bound map[string]*node
}

// NewCluster returns a cluster without nodes.
func NewCluster() *Cluster {
	return &Cluster{nodes: make(map[string]*node), bound: make(map[string]*node)}
}

// AddNode makes a node available for placement.
func (c *Cluster) AddNode(name string, capacity Request) error {
	if capacity.MilliCPU <= 0 || capacity.Memory <= 0 {
		return fmt.Errorf("nodebind: node %s has no capacity", name)
	}
	c.Lock()
	defer c.Unlock()
	if _, ok := c.nodes[name]; ok {
		return fmt.Errorf("nodebind: node %s exists", name)
	}
	c.nodes[name] = &node{name: name, capacity: capacity, pods: make(map[string]Request)}
	return nil
}

// best returns the emptiest node that can take r. The caller holds the lock.
func (c *Cluster) best(r Request) *node {
	var pick *node
	var top int64
	for _, n := range c.nodes {
		if !n.fits(r) {
			continue
		}
		if s := n.score(r); pick == nil || s > top {
			pick, top = n, s
		}
	}
	return pick
}

// Schedule binds the pod to a node and returns the node's name.
func (c *Cluster) Schedule(p Pod) (string, error) {
	c.RLock()
	if _, ok := c.bound[p.Name]; ok {
		c.RUnlock()
		return "", ErrBound
	}
	n := c.best(p.Request)
	c.RUnlock()
	if n == nil {
		return "", ErrUnschedulable
	}

	c.Lock()
	defer c.Unlock()
	n.used.MilliCPU += p.MilliCPU
	n.used.Memory += p.Memory
	n.pods[p.Name] = p.Request
	c.bound[p.Name] = n
	return n.name, nil
}

// Release returns what the pod held to its node.
func (c *Cluster) Release(pod string) bool {
	c.Lock()
	defer c.Unlock()
	n, ok := c.bound[pod]
	if !ok {
		return false
	}
	r := n.pods[pod]
	n.used.MilliCPU -= r.MilliCPU
	n.used.Memory -= r.Memory
	delete(n.pods, pod)
	delete(c.bound, pod)
	return true
}

// Run schedules the pods that arrive on in, with the given number of workers,
// until in is closed or ctx is done.
func (c *Cluster) Run(ctx context.Context, workers int, in <-chan Pod, report func(Pod, string, error)) {
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-ctx.Done():
					return
				case p, ok := <-in:
					if !ok {
						return
					}
					name, err := c.Schedule(p)
					report(p, name, err)
				}
			}
		}()
	}
	wg.Wait()
}
