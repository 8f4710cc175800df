package task

import (
	"context"
	"errors"
	"sync"
)

type exit struct {
	Pid    int
	Status int
}

type container struct {
	ID string

	mu     sync.Mutex
	status int
	exited bool
}

func (c *container) setExited(status int) {
	c.mu.Lock()
	c.status = status
	c.exited = true
	c.mu.Unlock()
}

type (
	taskStart struct {
		ID  string
		Pid int
	}
	taskExit struct {
		ID          string
		Pid, Status int
	}
)

// service is the shim implementation of a remote shim over GRPC
type service struct {
	mu         sync.Mutex
	containers map[string]*container

	events chan any
	ec     chan exit

	// startProcess forks the process of the container
	startProcess func(ctx context.Context, c *container) (int, error)

	lifecycleMu sync.Mutex
	running     map[int][]*container // pid -> running process, guarded by lifecycleMu
	// Subscriptions to exits for PIDs. Adding/deleting subscriptions and
	// dereferencing the subscription pointers must only be done while holding
	// lifecycleMu.
	exitSubscribers map[*map[int][]exit]struct{}
}

func newService(ec chan exit, start func(context.Context, *container) (int, error)) *service {
	s := &service{
		containers:      make(map[string]*container),
		events:          make(chan any, 128),
		ec:              ec,
		startProcess:    start,
		running:         make(map[int][]*container),
		exitSubscribers: make(map[*map[int][]exit]struct{}),
	}
	go s.processExits()
	return s
}

// preStart prepares for starting a container process and handling its exit.
// The container being started should be passed in as c when starting the
// container init process for an already-created container. c should be nil when
// creating a container or when starting an exec.
//
// The returned handleStarted closure records that the process has started so
// that its exit can be handled efficiently. If the process has already exited,
// it handles the exit immediately.
//
// The returned cleanup closure releases resources used to handle early exits.
// It must be called before the caller of preStart returns, otherwise severe
// memory leaks will occur.
//
// The caller must hold s.lifecycleMu.
func (s *service) preStart() (handleStarted func(*container, int), cleanup func()) {
	exits := make(map[int][]exit)
	s.exitSubscribers[&exits] = struct{}{}

	handleStarted = func(c *container, pid int) {
		s.lifecycleMu.Lock()

		ees, exited := exits[pid]
		delete(s.exitSubscribers, &exits)
		exits = nil
		if exited {
			s.lifecycleMu.Unlock()
			for _, ee := range ees {
				s.handleProcessExit(ee, c)
			}
		} else {
			// Process start was successful, add to `s.running`.
			s.running[pid] = append(s.running[pid], c)
			s.lifecycleMu.Unlock()
		}
	}

	cleanup = func() {
		if exits != nil {
			s.lifecycleMu.Lock()
			defer s.lifecycleMu.Unlock()
			delete(s.exitSubscribers, &exits)
		}
	}

	return handleStarted, cleanup
}

// Start a process
func (s *service) Start(ctx context.Context, id string) (int, error) {
	c, err := s.getContainer(id)
	if err != nil {
		return 0, err
	}

	s.lifecycleMu.Lock()
	handleStarted, cleanup := s.preStart()
	s.lifecycleMu.Unlock()
	defer cleanup()

	pid, err := s.startProcess(ctx, c)
	if err != nil {
		return 0, err
	}

	s.events <- &taskStart{ID: id, Pid: pid}
	handleStarted(c, pid)
	return pid, nil
}

func (s *service) processExits() {
	for e := range s.ec {
		s.lifecycleMu.Lock()
		// Inform any concurrent s.Start() calls so they can handle the exit
		// if the PID belongs to them.
		for subscriber := range s.exitSubscribers {
			(*subscriber)[e.Pid] = append((*subscriber)[e.Pid], e)
		}
		// Handle the exit for a created/started process. If there's more than
		// one, assume they've all exited. One of them will be the correct
		// process.
		cps := s.running[e.Pid]
		delete(s.running, e.Pid)
		s.lifecycleMu.Unlock()

		for _, cp := range cps {
			s.handleProcessExit(e, cp)
		}
	}
}

func (s *service) handleProcessExit(e exit, c *container) {
	c.setExited(e.Status)
	s.events <- &taskExit{ID: c.ID, Pid: e.Pid, Status: e.Status}
}

func (s *service) getContainer(id string) (*container, error) {
	s.mu.Lock()
	c := s.containers[id]
	s.mu.Unlock()
	if c == nil {
		return nil, errors.New("container not created")
	}
	return c, nil
}
