// Package sched places tasks on the nodes of a small cluster.
package sched

import (
	"context"
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

// ErrNoNode means that no node can take the task now.
var ErrNoNode = errors.New("sched: no node fits")

// Resources is an amount of the things that a node has.
type Resources struct {
	MilliCPU, MemBytes int64
}

// Task is a unit of work.
type Task struct {
	ID   uint64
	Need Resources
	Zone string
}

// Node keeps account of what has been promised on one machine.
type Node struct {
	Name, Zone string
	total      Resources

	mu    sync.Mutex
	used  Resources
	tasks map[uint64]Resources
}

// NewNode returns an empty node.
func NewNode(name, zone string, total Resources) *Node {
	return &Node{Name: name, Zone: zone, total: total, tasks: make(map[uint64]Resources)}
}

func (n *Node) fits(t Task) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.hasRoom(t.Need)
}

// hasRoom is called with n.mu held.
func (n *Node) hasRoom(r Resources) bool {
	return n.used.MilliCPU+r.MilliCPU <= n.total.MilliCPU &&
		n.used.MemBytes+r.MemBytes <= n.total.MemBytes
}

func (n *Node) freeCPU() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.total.MilliCPU - n.used.MilliCPU
}

// assume books the task, ahead of the node's own confirmation.
func (n *Node) assume(t Task) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.used.MilliCPU += t.Need.MilliCPU
	n.used.MemBytes += t.Need.MemBytes
	n.tasks[t.ID] = t.Need
}

// Forget releases what a task had booked.
func (n *Node) Forget(id uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r, ok := n.tasks[id]; ok {
		delete(n.tasks, id)
		n.used.MilliCPU -= r.MilliCPU
		n.used.MemBytes -= r.MemBytes
	}
}

// Binder tells a node's agent to start a task.
type Binder func(ctx context.Context, n *Node, t Task) error

type filter func(n *Node, t Task) bool

// Scheduler places submitted tasks with several workers. The nodes are fixed.
type Scheduler struct {
	nodes   []*Node
	filters []filter
	bind    Binder
	queue   chan Task
	seq     atomic.Uint64
}

// New returns a scheduler; Run makes it work.
func New(nodes []*Node, bind Binder) *Scheduler {
	return &Scheduler{
		nodes: nodes,
		filters: []filter{
			func(n *Node, t Task) bool { return t.Zone == "" || t.Zone == n.Zone },
			(*Node).fits,
		},
		bind:  bind,
		queue: make(chan Task, 128),
	}
}

// Submit queues a task and returns its number.
func (s *Scheduler) Submit(ctx context.Context, need Resources, zone string) (uint64, error) {
	t := Task{ID: s.seq.Add(1), Need: need, Zone: zone}
	select {
	case s.queue <- t:
		return t.ID, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Run schedules with the given number of workers until ctx ends.
func (s *Scheduler) Run(ctx context.Context, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case t := <-s.queue:
					if err := s.schedule(ctx, t); err != nil {
						log.Printf("sched: task %d: %v", t.ID, err)
					}
				}
			}
		})
	}
	wg.Wait()
}

func (s *Scheduler) schedule(ctx context.Context, t Task) error {
	n := s.place(t)
	if n == nil {
		return ErrNoNode
	}
	if err := s.bind(ctx, n, t); err != nil {
		n.Forget(t.ID)
		return err
	}
	return nil
}

// place books t on the emptiest node that passes all filters.
func (s *Scheduler) place(t Task) *Node {
	best := s.choose(t)
	if best != nil {
		best.assume(t)
	}
	return best
}

func (s *Scheduler) choose(t Task) *Node {
	var best *Node
	var most int64
nodes:
	for _, n := range s.nodes {
		for _, f := range s.filters {
			if !f(n, t) {
				continue nodes
			}
		}
		if free := n.freeCPU(); best == nil || free > most {
			best, most = n, free
		}
	}
	return best
}
