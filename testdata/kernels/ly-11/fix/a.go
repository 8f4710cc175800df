package a

import (
	"errors"
	"sync"
	"time"
)

var ErrNoSuchProcess = errors.New("no such process")

// Exit is the exit of a child as told by wait4.
type Exit struct {
	Pid    int
	Status int
}

// Monitor broadcasts the exits of all children of this process, including
// those that were reparented to it, to its subscribers.
type Monitor struct {
	sync.Mutex

	subscribers map[chan Exit]struct{}
}

func NewMonitor() *Monitor {
	return &Monitor{subscribers: make(map[chan Exit]struct{})}
}

// Reap should be called when the process receives an SIGCHLD. Reap tells the
// subscribers about the exited processes.
func (m *Monitor) Reap(exits []Exit) {
	m.Lock()
	defer m.Unlock()
	for c := range m.subscribers {
		for _, e := range exits {
			c <- e
		}
	}
}

// Subscribe returns a channel with all exits from now on.
func (m *Monitor) Subscribe() chan Exit {
	c := make(chan Exit, 2048)
	m.Lock()
	m.subscribers[c] = struct{}{}
	m.Unlock()
	return c
}

type process struct {
	mu       sync.Mutex
	id       string
	pid      int
	exited   bool
	status   int
	exitedAt time.Time
}

func (p *process) SetExited(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exited = true
	p.status = status
	p.exitedAt = time.Now()
}

func (p *process) Exited() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exited
}

// TaskExit is published when a process has exited.
type TaskExit struct {
	ID         string
	Pid        int
	ExitStatus int
}

// Service is the shim service of one container.
type Service struct {
	mu        sync.Mutex
	processes map[string]*process
	monitor   *Monitor
	ec        chan Exit
	events    chan any
	// runc forks a process and returns its pid. It runs short-lived helpers
	// as well, which are reparented to the shim when runc exits.
	runc func(id string) (int, error)
}

func NewService(runc func(string) (int, error), publish func(any)) *Service {
	s := &Service{
		processes: make(map[string]*process),
		monitor:   NewMonitor(),
		events:    make(chan any, 4096),
		runc:      runc,
	}
	s.ec = s.monitor.Subscribe()
	go s.processExits()
	go func() {
		for e := range s.events {
			publish(e)
		}
	}()
	return s
}

// HandleSIGCHLD reaps the exited children.
func (s *Service) HandleSIGCHLD(reap func() []Exit) {
	s.monitor.Reap(reap())
}

// Create starts a process.
func (s *Service) Create(id string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pid, err := s.runc(id)
	if err != nil {
		return 0, err
	}
	s.processes[id] = &process{id: id, pid: pid}
	return pid, nil
}

func (s *Service) processExits() {
	for e := range s.ec {
		s.checkProcesses(e)
	}
}

func (s *Service) checkProcesses(e Exit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.processes {
		if p.pid == e.Pid && !p.Exited() {
			p.SetExited(e.Status)
			s.events <- &TaskExit{ID: p.id, Pid: p.pid, ExitStatus: e.Status}
			return
		}
	}
}

// Delete forgets an exited process.
func (s *Service) Delete(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.processes[id]
	if p == nil || !p.Exited() {
		return ErrNoSuchProcess
	}
	delete(s.processes, id)
	return nil
}
