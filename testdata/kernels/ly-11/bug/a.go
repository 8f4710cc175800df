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

// Cmd is a registered process.
type Cmd struct {
	ExitCh     chan struct{}
	exitStatus int
}

// Monitor hands the exits of all children of this process, including those
// that were reparented to it, to the callers that wait for them.
type Monitor struct {
	sync.Mutex

	cmds    map[int]*Cmd
	unknown map[int]int
}

func NewMonitor() *Monitor {
	return &Monitor{
		cmds:    make(map[int]*Cmd),
		unknown: make(map[int]int),
	}
}

// Reap should be called when the process receives an SIGCHLD. Reap closes
// the wait channels of the exited processes.
func (m *Monitor) Reap(exits []Exit) {
	for _, e := range exits {
		m.Lock()
		c, ok := m.cmds[e.Pid]
		if !ok {
			m.unknown[e.Pid] = e.Status
			m.Unlock()
			continue
		}
		delete(m.cmds, e.Pid)
		m.Unlock()
		c.exitStatus = e.Status
		close(c.ExitCh)
	}
}

// Register registers a started process. A process may exit before it is
// registered.
func (m *Monitor) Register(pid int, c *Cmd) {
	m.Lock()
	defer m.Unlock()
	if status, ok := m.unknown[pid]; ok {
		delete(m.unknown, pid)
		c.exitStatus = status
		close(c.ExitCh)
		return
	}
	m.cmds[pid] = c
}

// Wait blocks until the process of c exits.
func (m *Monitor) Wait(c *Cmd) int {
	<-c.ExitCh
	return c.exitStatus
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
	pid, err := s.runc(id)
	if err != nil {
		return 0, err
	}
	p := &process{id: id, pid: pid}
	s.mu.Lock()
	s.processes[id] = p
	s.mu.Unlock()
	cmd := &Cmd{ExitCh: make(chan struct{})}
	s.monitor.Register(pid, cmd)
	go s.waitExit(p, cmd)
	return pid, nil
}

func (s *Service) waitExit(p *process, cmd *Cmd) {
	status := s.monitor.Wait(cmd)
	p.SetExited(status)
	s.events <- &TaskExit{ID: p.id, Pid: p.pid, ExitStatus: status}
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
