// Package shim supervises the init and exec processes of one sandbox.
package shim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Exit is one child that was reaped after SIGCHLD. The kernel does not recycle
// pids within the life of a sandbox.
type Exit struct {
	Pid    int
	Status int
	At     time.Time
}

// Spec is what the runtime needs to start a process.
type Spec struct {
	Args []string
	Cwd  string
	Env  []string
}

// Launcher forks a process in the sandbox. It returns once the process was
// exec'ed. Exits are reported on a channel of their own by the reaper.
type Launcher interface {
	Launch(spec Spec) (pid int, err error)
	Kill(pid int, sig int) error
}

type state int

const (
	stateCreated state = iota
	stateStarting
	stateRunning
	stateStopped
)

var (
	ErrNotFound   = errors.New("shim: process not found")
	ErrWrongState = errors.New("shim: process is in the wrong state")
)

type process struct {
	id     string
	spec   Spec
	state  state
	pid    int
	status int
	exited time.Time
	done   chan struct{}
}

// Service is the task service of the shim.
type Service struct {
	launcher Launcher
	publish  func(topic, id string, status int)

	mu    sync.Mutex
	procs map[string]*process
	byPid map[int]*process
}

// New returns a service that consumes exits until the channel is closed.
func New(l Launcher, exits <-chan Exit, publish func(topic, id string, status int)) *Service {
	s := &Service{
		launcher: l,
		publish:  publish,
		procs:    make(map[string]*process),
		byPid:    make(map[int]*process),
	}
	go s.processExits(exits)
	return s
}

// Create registers a process without starting it.
func (s *Service) Create(id string, spec Spec) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.procs[id]; ok {
		return fmt.Errorf("shim: process %q already exists", id)
	}
	s.procs[id] = &process{id: id, spec: spec, done: make(chan struct{})}
	return nil
}

// Start starts a created process and returns its pid.
func (s *Service) Start(id string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.procs[id]
	if !ok {
		return 0, ErrNotFound
	}
	if p.state != stateCreated {
		return 0, ErrWrongState
	}
	p.state = stateStarting

	// An exit must not be handled before the pid is known.
	pid, err := s.launcher.Launch(p.spec)
	if err != nil {
		p.state = stateCreated
		return 0, err
	}
	p.pid = pid
	p.state = stateRunning
	s.byPid[pid] = p
	return pid, nil
}

func (s *Service) processExits(exits <-chan Exit) {
	for e := range exits {
		s.handleExit(e)
	}
}

func (s *Service) handleExit(e Exit) {
	s.mu.Lock()
	p, ok := s.byPid[e.Pid]
	if !ok {
		// We are a subreaper, orphans of the container end up here too.
		s.mu.Unlock()
		return
	}
	delete(s.byPid, e.Pid)
	p.state = stateStopped
	p.status = e.Status
	p.exited = e.At
	close(p.done)
	s.mu.Unlock()

	s.publish("/tasks/exit", p.id, e.Status)
}

// Wait blocks until the process has exited and returns its status.
func (s *Service) Wait(ctx context.Context, id string) (int, error) {
	s.mu.Lock()
	p, ok := s.procs[id]
	s.mu.Unlock()
	if !ok {
		return 0, ErrNotFound
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.status, nil
}

// Delete forgets a process that is not running.
func (s *Service) Delete(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.procs[id]
	if !ok {
		return ErrNotFound
	}
	if p.state == stateStarting || p.state == stateRunning {
		return ErrWrongState
	}
	delete(s.procs, id)
	return nil
}
