package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors of Drain.
var (
	ErrBudget  = errors.New("cluster: disruption budget exhausted")
	ErrStopped = errors.New("cluster: coordinator stopped")
)

type phase int

const (
	active phase = iota
	cordoned
)

// Node is a worker machine.
type Node struct {
	Name string

	mu       sync.Mutex
	phase    phase
	lastBeat time.Time
}

func (n *Node) available(now time.Time, grace time.Duration) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.phase == active && now.Sub(n.lastBeat) <= grace
}

func (n *Node) cordon() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.phase == cordoned {
		return false
	}
	n.phase = cordoned
	return true
}

func (n *Node) uncordon() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.phase = active
}

// Beat records a heartbeat.
func (n *Node) Beat(now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lastBeat = now
}

// Evictor moves the workload off a node.
type Evictor interface {
	Evict(ctx context.Context, node string) error
}

type drainRequest struct {
	node  *Node
	reply chan error
}

// Coordinator decides which nodes may be drained.
type Coordinator struct {
	minAvailable int
	grace        time.Duration
	evictor      Evictor
	requests     chan drainRequest
	stopped      chan struct{}

	mu    sync.RWMutex
	nodes map[string]*Node
}

// StartCoordinator serves drains until ctx is done.
func StartCoordinator(ctx context.Context, minAvailable int, grace time.Duration, e Evictor) *Coordinator {
	c := &Coordinator{
		minAvailable: minAvailable,
		grace:        grace,
		evictor:      e,
		requests:     make(chan drainRequest),
		stopped:      make(chan struct{}),
		nodes:        make(map[string]*Node),
	}
	go func() {
		defer close(c.stopped)
		for {
			select {
			case <-ctx.Done():
				return
			case r := <-c.requests:
				r.reply <- c.drain(ctx, r.node)
			}
		}
	}()
	return c
}

// Join adds a node.
func (c *Coordinator) Join(name string) *Node {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.nodes[name]
	if !ok {
		n = &Node{Name: name, lastBeat: time.Now()}
		c.nodes[name] = n
	}
	return n
}

func (c *Coordinator) availableWithout(skip *Node) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	now := time.Now()
	count := 0
	for _, n := range c.nodes {
		if n != skip && n.available(now, c.grace) {
			count++
		}
	}
	return count
}

func (c *Coordinator) drain(ctx context.Context, n *Node) error {
	if left := c.availableWithout(n); left < c.minAvailable {
		return fmt.Errorf("%w: %d would be left", ErrBudget, left)
	}
	if !n.cordon() {
		return nil
	}
	go func() {
		if err := c.evictor.Evict(ctx, n.Name); err != nil {
			n.uncordon()
		}
	}()
	return nil
}

// Drain cordons a node and evicts its workload.
func (c *Coordinator) Drain(ctx context.Context, name string) error {
	c.mu.RLock()
	n, ok := c.nodes[name]
	c.mu.RUnlock()
	if !ok {
		return fmt.Errorf("cluster: no node %s", name)
	}
	r := drainRequest{node: n, reply: make(chan error, 1)}
	select {
	case c.requests <- r:
	case <-c.stopped:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
	return <-r.reply
}
