// Package fix serves the processes of containers.
package fix

import (
	"errors"
	"sync"
)

var (
	errNotFound           = errors.New("not found")
	errFailedPrecondition = errors.New("init process is not running")
)

// exit is reported by the reaper of the host.
type exit struct {
	Pid    int
	Status int
}

// runtime is the low-level runtime.
type runtime interface {
	Start(containerID string) (pid int, err error)
	Exec(containerID, execID string) (pid int, err error)
	KillAll(containerID string)
}

type process struct {
	id string

	mu      sync.Mutex
	pid     int
	status  int
	stopped bool
}

func (p *process) Pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pid
}

func (p *process) setPid(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pid = pid
}

func (p *process) SetExited(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
	p.stopped = true
}

func (p *process) isStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stopped
}

// container has one init process and execs.
type container struct {
	ID   string
	init *process

	mu    sync.Mutex
	execs map[string]*process
}

// Exec creates an exec process that is not started yet.
func (c *container) Exec(execID string) error {
	if c.init.isStopped() {
		return errFailedPrecondition
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.execs[execID]; ok {
		return errors.New("already exists")
	}
	c.execs[execID] = &process{id: execID}
	return nil
}

func (c *container) process(execID string) *process {
	if execID == "" {
		return c.init
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.execs[execID]
}

type containerProcess struct {
	Container *container
	Process   *process
}

type service struct {
	runtime runtime
	ec      chan exit
	events  chan any

	mu         sync.Mutex
	containers map[string]*container

	lifecycleMu  sync.Mutex
	running      map[int]containerProcess // pid -> running process, guarded by lifecycleMu
	pendingExecs map[*container]int       // container -> num pending execs, guarded by lifecycleMu
	initExits    map[*container]exit      // postponed exits, guarded by lifecycleMu
	earlyExits   map[int]exit             // exits of pids not in running yet, guarded by lifecycleMu
	// container -> execs can be started, guarded by lifecycleMu.
	execable map[*container]bool
}

func (s *service) getContainer(id string) (*container, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.containers[id]
	if c == nil {
		return nil, errNotFound
	}
	return c, nil
}

// preStart prepares for starting a process; handleStarted has to be called
// after the start was announced or has failed (pid 0).
func (s *service) preStart(isExec bool) (handleStarted func(c *container, p *process)) {
	return func(c *container, p *process) {
		s.lifecycleMu.Lock()
		var initExit *exit
		if isExec {
			s.pendingExecs[c]--
			if e, ok := s.initExits[c]; ok && s.pendingExecs[c] == 0 {
				delete(s.initExits, c)
				delete(s.pendingExecs, c)
				initExit = &e
			}
		}
		pid := p.Pid()
		ee, exited := s.earlyExits[pid]
		delete(s.earlyExits, pid)
		if pid != 0 && !exited {
			s.running[pid] = containerProcess{c, p}
			if !isExec {
				s.execable[c] = true
			}
		}
		s.lifecycleMu.Unlock()
		if exited {
			s.handleProcessExit(ee, c, p)
		}
		if initExit != nil {
			s.handleProcessExit(*initExit, c, c.init)
		}
	}
}

// Exec creates an additional process inside of a container.
func (s *service) Exec(id, execID string) error {
	c, err := s.getContainer(id)
	if err != nil {
		return err
	}
	return c.Exec(execID)
}

// Start starts the init process, or an exec. It is called once for each.
func (s *service) Start(id, execID string) (pid int, err error) {
	c, err := s.getContainer(id)
	if err != nil {
		return 0, err
	}
	p := c.process(execID)
	if p == nil {
		return 0, errNotFound
	}

	s.lifecycleMu.Lock()
	if execID != "" {
		if !s.execable[c] {
			s.lifecycleMu.Unlock()
			return 0, errFailedPrecondition
		}
		s.pendingExecs[c]++
	}
	handleStarted := s.preStart(execID != "")
	s.lifecycleMu.Unlock()

	if execID == "" {
		pid, err = s.runtime.Start(id)
	} else {
		pid, err = s.runtime.Exec(id, execID)
	}
	if err == nil {
		p.setPid(pid)
		s.events <- "start " + id + "/" + execID
	}
	handleStarted(c, p)
	return pid, err
}

// processExits is the goroutine that handles exits. Pids are not reused here.
func (s *service) processExits() {
	for e := range s.ec {
		s.lifecycleMu.Lock()
		cp, ok := s.running[e.Pid]
		delete(s.running, e.Pid)
		postponed := false
		if !ok {
			s.earlyExits[e.Pid] = e
		} else if cp.Process == cp.Container.init {
			delete(s.execable, cp.Container)
			if s.pendingExecs[cp.Container] != 0 {
				// To keep the order, the last pending exec publishes it.
				s.initExits[cp.Container] = e
				postponed = true
			}
		}
		s.lifecycleMu.Unlock()

		if ok && !postponed {
			s.handleProcessExit(e, cp.Container, cp.Process)
		}
	}
}

func (s *service) handleProcessExit(e exit, c *container, p *process) {
	if p == c.init {
		// Ensure all children are killed
		s.runtime.KillAll(c.ID)
	}
	p.SetExited(e.Status)
	s.events <- "exit " + c.ID + "/" + p.id
}
