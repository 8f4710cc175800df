// Package ok starts the processes of containers and reaps them.
package ok

import (
	"fmt"
	"sync"
)

// Exit is reported by the kernel for every child.
type Exit struct {
	Pid    int
	Status int
}

// Process is something that runs in a container.
type Process struct {
	Container string
	ID        string

	mu     sync.Mutex
	status int
	exited chan struct{}
}

func (p *Process) setExited(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
	close(p.exited)
}

// Wait returns the exit status.
func (p *Process) Wait() int {
	<-p.exited
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// Service runs processes.
type Service struct {
	exec func(argv []string) (pid int, err error)

	mu      sync.Mutex
	running map[int]*Process
	// Start calls that are under way collect all exits; guarded by mu,
	// like what the pointers lead to.
	subscribers map[*map[int]Exit]struct{}
}

// NewService handles the exits of the children that exec makes.
func NewService(exits <-chan Exit, exec func([]string) (int, error)) *Service {
	s := &Service{
		exec:        exec,
		running:     make(map[int]*Process),
		subscribers: make(map[*map[int]Exit]struct{}),
	}
	go s.processExits(exits)
	return s
}

// preStart begins to collect exits, since a process may end before its pid is
// known. One of the two functions must be called.
func (s *Service) preStart() (started func(pid int, p *Process), cleanup func()) {
	exits := make(map[int]Exit)
	s.mu.Lock()
	s.subscribers[&exits] = struct{}{}
	s.mu.Unlock()

	started = func(pid int, p *Process) {
		s.mu.Lock()
		e, early := exits[pid]
		delete(s.subscribers, &exits)
		if !early {
			s.running[pid] = p
		}
		s.mu.Unlock()
		if early {
			p.setExited(e.Status)
		}
	}
	cleanup = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subscribers, &exits)
	}
	return started, cleanup
}

// Start runs a command in a container.
func (s *Service) Start(container, id string, argv []string) (*Process, error) {
	p := &Process{Container: container, ID: id, exited: make(chan struct{})}
	started, cleanup := s.preStart()
	pid, err := s.exec(argv)
	if err != nil {
		cleanup()
		return nil, fmt.Errorf("starting %s in %s: %w", id, container, err)
	}
	started(pid, p)
	return p, nil
}

func (s *Service) processExits(exits <-chan Exit) {
	for e := range exits {
		s.mu.Lock()
		for sub := range s.subscribers {
			(*sub)[e.Pid] = e
		}
		p := s.running[e.Pid]
		delete(s.running, e.Pid)
		s.mu.Unlock()

		if p != nil {
			p.setExited(e.Status)
		}
	}
}

// Pids returns the processes of a container.
func (s *Service) Pids(container string) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var pids []int
	for pid, p := range s.running {
		if p.Container == container {
			pids = append(pids, pid)
		}
	}
	return pids
}
