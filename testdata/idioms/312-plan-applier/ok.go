// Package ok places work on nodes. Schedulers run at the same time on
// snapshots; one goroutine decides.
package ok

import (
	"context"
	"errors"
	"maps"
	"sync"
)

// ErrNoRoom is returned when no node can take a task.
var ErrNoRoom = errors.New("no node has room")

// State is a version of the cluster. It is not modified.
type State struct {
	Index uint64
	Free  map[string]int // node -> free memory
}

// Plan is what a scheduler wants to do.
type Plan struct {
	SnapshotIndex uint64
	Node          string
	Memory        int
}

// Result is what was done.
type Result struct {
	Applied      bool
	RefreshIndex uint64 // look again with this version if not applied
}

type pendingPlan struct {
	plan Plan
	res  chan Result
}

// Server owns the state.
type Server struct {
	plans chan pendingPlan
	stop  chan struct{}

	mu    sync.RWMutex
	cond  *sync.Cond // on mu.RLocker
	state *State
}

// NewServer starts the applier and workers that schedule the tasks.
func NewServer(free map[string]int, tasks <-chan int, workers int) *Server {
	s := &Server{
		plans: make(chan pendingPlan),
		stop:  make(chan struct{}),
		state: &State{Index: 1, Free: maps.Clone(free)},
	}
	s.cond = sync.NewCond(s.mu.RLocker())
	go s.planApply()
	for range workers {
		go func() {
			for memory := range tasks {
				s.schedule(context.Background(), memory)
			}
		}()
	}
	return s
}

// Snapshot returns the current version.
func (s *Server) Snapshot() *State {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state
}

// snapshotMinIndex waits for a version.
func (s *Server) snapshotMinIndex(index uint64) *State {
	s.cond.L.Lock()
	defer s.cond.L.Unlock()
	for s.state.Index < index {
		s.cond.Wait()
	}
	return s.state
}

// schedule looks for a node until a plan was accepted.
func (s *Server) schedule(ctx context.Context, memory int) (string, error) {
	snap := s.Snapshot()
	for ctx.Err() == nil {
		best := ""
		for node, free := range snap.Free {
			if free >= memory && (best == "" || free > snap.Free[best]) {
				best = node
			}
		}
		if best == "" {
			return "", ErrNoRoom
		}
		p := pendingPlan{Plan{snap.Index, best, memory}, make(chan Result, 1)}
		select {
		case s.plans <- p:
		case <-s.stop:
			return "", context.Canceled
		}
		res := <-p.res
		if res.Applied {
			return best, nil
		}
		snap = s.snapshotMinIndex(res.RefreshIndex)
	}
	return "", ctx.Err()
}

// planApply is the only code that replaces the state.
func (s *Server) planApply() {
	for {
		select {
		case p := <-s.plans:
			p.res <- s.evaluate(p.plan)
		case <-s.stop:
			return
		}
	}
}

// evaluate checks a plan against the newest state and applies it.
func (s *Server) evaluate(plan Plan) Result {
	current := s.Snapshot()
	free, ok := current.Free[plan.Node]
	if !ok || free < plan.Memory {
		return Result{RefreshIndex: current.Index}
	}

	next := &State{Index: current.Index + 1, Free: maps.Clone(current.Free)}
	next.Free[plan.Node] = free - plan.Memory
	s.commit(next)
	return Result{Applied: true}
}

func (s *Server) commit(next *State) {
	s.mu.Lock()
	s.state = next
	s.mu.Unlock()
	s.cond.Broadcast()
}

// Stop ends the applier. It must be called once.
func (s *Server) Stop() { close(s.stop) }
