package task

import (
	"errors"
	"sync"
	"time"
)

var errNotFound = errors.New("process not found")

type Exit struct {
	Pid       int
	Status    int
	Timestamp time.Time
}

type Process interface {
	ID() string
	Start() (pid int, err error)
	SetExited(status int)
}

type service struct {
	mu        sync.Mutex
	processes map[string]Process

	ec     chan Exit
	events chan any

	lifecycleMu sync.Mutex
	running     map[int][]Process // pid -> running process, guarded by lifecycleMu
	// Subscriptions to exits for PIDs. Adding/deleting subscriptions and
	// dereferencing the subscription pointers must only be done while holding
	// lifecycleMu.
	exitSubscribers map[*map[int][]Exit]struct{}
}

type TaskStart struct {
	ID  string
	Pid int
}

type TaskExit struct {
	ID     string
	Pid    int
	Status int
}

func newService(ec chan Exit) *service {
	s := &service{
		processes:       make(map[string]Process),
		ec:              ec,
		events:          make(chan any, 128),
		running:         make(map[int][]Process),
		exitSubscribers: make(map[*map[int][]Exit]struct{}),
	}
	go s.processExits()
	return s
}

// preStart prepares for starting a process and handling its exit.
//
// The returned handleStarted closure records that the process has started so
// that its exit can be handled efficiently. If the process has already exited,
// it handles the exit immediately. handleStarted should be called after the
// event announcing the start of the process has been published.
//
// The returned cleanup closure releases resources used to handle early exits.
func (s *service) preStart() (handleStarted func(Process, int), cleanup func()) {
	exits := make(map[int][]Exit)

	s.lifecycleMu.Lock()
	defer s.lifecycleMu.Unlock()
	s.exitSubscribers[&exits] = struct{}{}

	handleStarted = func(p Process, pid int) {
		s.lifecycleMu.Lock()
		ees, exited := exits[pid]
		delete(s.exitSubscribers, &exits)
		exits = nil
		if exited {
			s.lifecycleMu.Unlock()
			for _, ee := range ees {
				s.handleProcessExit(ee, p)
			}
		} else {
			// Process start was successful, add to `s.running`.
			s.running[pid] = append(s.running[pid], p)
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
func (s *service) Start(id string) (int, error) {
	s.mu.Lock()
	p, ok := s.processes[id]
	s.mu.Unlock()
	if !ok {
		return 0, errNotFound
	}
	handleStarted, cleanup := s.preStart()
	defer cleanup()

	pid, err := p.Start()
	if err != nil {
		return 0, err
	}
	s.events <- &TaskStart{ID: p.ID(), Pid: pid}
	handleStarted(p, pid)
	return pid, nil
}

func (s *service) processExits() {
	for e := range s.ec {
		// While unlikely, it is not impossible for a container process to exit
		// and have its PID be recycled for a new container process before we
		// have a chance to process the first exit.
		s.lifecycleMu.Lock()
		// Inform any concurrent s.Start() calls so they can handle the exit
		// if the PID belongs to them.
		for subscriber := range s.exitSubscribers {
			(*subscriber)[e.Pid] = append((*subscriber)[e.Pid], e)
		}
		// Handle the exit for a created/started process. If there's more than
		// one, assume they've all exited. One of them will be the correct
		// process.
		ps := s.running[e.Pid]
		delete(s.running, e.Pid)
		s.lifecycleMu.Unlock()

		for _, p := range ps {
			s.handleProcessExit(e, p)
		}
	}
}

func (s *service) handleProcessExit(e Exit, p Process) {
	p.SetExited(e.Status)
	s.events <- &TaskExit{ID: p.ID(), Pid: e.Pid, Status: e.Status}
}
