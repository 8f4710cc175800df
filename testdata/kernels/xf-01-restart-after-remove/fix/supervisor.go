// Package supervisor keeps containers running according to their restart
// policy.
package supervisor

import (
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

// Errors returned by the supervisor.
var (
	ErrNotFound = errors.New("supervisor: no such container")
	ErrExists   = errors.New("supervisor: container already exists")
	ErrRunning  = errors.New("supervisor: container is running")
)

// State is the life cycle state of a container.
type State int

// Container states.
const (
	Created State = iota
	Running
	Exited
	Removed
)

// Runtime is the low level runtime (runc and friends). Kill returns once the
// process is gone.
type Runtime interface {
	Start(id string) (pid int, err error)
	Kill(pid int) error
	Cleanup(id string) error
}

// ExitEvent is emitted by the shim when a container's init process ends.
type ExitEvent struct {
	ID   string
	PID  int
	Code int
}

// Policy says when an exited container is started again.
type Policy struct {
	Always     bool
	MaxRetries int
	Backoff    time.Duration
}

// Container is a supervised container.
type Container struct {
	ID     string
	policy Policy

	sem           chan struct{} // guards the fields below
	state         State
	pid           int
	starts        int
	failures      int
	stopRequested bool
}

func (c *Container) lock()   { c.sem <- struct{}{} }
func (c *Container) unlock() { <-c.sem }

// exited records the end of the process pid and reports whether the policy
// asks for another start, and after which delay. starts identifies the run
// that ended.
func (c *Container) exited(pid, code int) (delay time.Duration, starts int, again bool) {
	c.lock()
	defer c.unlock()
	if c.state != Running || c.pid != pid {
		return 0, 0, false
	}
	c.state = Exited
	c.pid = 0
	spent := c.policy.MaxRetries > 0 && c.failures >= c.policy.MaxRetries
	if c.stopRequested || spent || code == 0 && !c.policy.Always {
		return 0, 0, false
	}
	c.failures++
	return time.Duration(c.failures) * c.policy.Backoff, c.starts, true
}

// Supervisor owns the containers of one host. It is safe for concurrent use.
type Supervisor struct {
	rt   Runtime
	done chan struct{}

	mu         sync.Mutex
	containers map[string]*Container
}

// New returns a supervisor that drives rt and consumes its exit events.
func New(rt Runtime, events <-chan ExitEvent) *Supervisor {
	s := &Supervisor{
		rt:         rt,
		done:       make(chan struct{}),
		containers: make(map[string]*Container),
	}
	go s.watch(events)
	return s
}

func (s *Supervisor) watch(events <-chan ExitEvent) {
	defer close(s.done)
	for ev := range events {
		go s.handleExit(ev)
	}
}

func (s *Supervisor) lookup(id string) (*Container, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.containers[id]
	if !ok {
		return nil, ErrNotFound
	}
	return c, nil
}

// Create registers a container.
func (s *Supervisor) Create(id string, p Policy) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.containers[id]; ok {
		return ErrExists
	}
	s.containers[id] = &Container{ID: id, policy: p, sem: make(chan struct{}, 1)}
	return nil
}

// Start starts a created or exited container.
func (s *Supervisor) Start(id string) error {
	c, err := s.lookup(id)
	if err != nil {
		return err
	}
	c.lock()
	defer c.unlock()
	switch c.state {
	case Removed:
		return ErrNotFound
	case Running:
		return ErrRunning
	}
	c.stopRequested = false
	c.failures = 0
	return s.launch(c)
}

// launch starts the process of c. The caller holds c.
func (s *Supervisor) launch(c *Container) error {
	pid, err := s.rt.Start(c.ID)
	if err != nil {
		return fmt.Errorf("start %s: %w", c.ID, err)
	}
	c.state = Running
	c.pid = pid
	c.starts++
	return nil
}

// handleExit applies the restart policy to a container that ended.
func (s *Supervisor) handleExit(ev ExitEvent) {
	c, err := s.lookup(ev.ID)
	if err != nil {
		return
	}
	delay, starts, again := c.exited(ev.PID, ev.Code)
	if !again {
		return
	}
	select {
	case <-time.After(delay):
	case <-s.done:
		return
	}
	c.lock()
	defer c.unlock()
	if c.state != Exited || c.stopRequested || c.starts != starts {
		return
	}
	if err := s.launch(c); err != nil {
		log.Printf("supervisor: restart: %v", err)
	}
}

// Stop ends the container and keeps it from being started by its policy.
func (s *Supervisor) Stop(id string) error {
	c, err := s.lookup(id)
	if err != nil {
		return err
	}
	c.lock()
	defer c.unlock()
	if c.state == Removed {
		return ErrNotFound
	}
	c.stopRequested = true
	if c.state != Running {
		return nil
	}
	return s.rt.Kill(c.pid)
}

// Starts returns how often the container has been started.
func (s *Supervisor) Starts(id string) (int, error) {
	c, err := s.lookup(id)
	if err != nil {
		return 0, err
	}
	c.lock()
	defer c.unlock()
	return c.starts, nil
}

// Remove ends the container and deletes its root file system.
func (s *Supervisor) Remove(id string) error {
	c, err := s.lookup(id)
	if err != nil {
		return err
	}
	if err := s.destroy(c); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.containers, id)
	return nil
}

func (s *Supervisor) destroy(c *Container) error {
	c.lock()
	defer c.unlock()
	if c.state == Removed {
		return ErrNotFound
	}
	c.stopRequested = true
	if c.state == Running {
		if err := s.rt.Kill(c.pid); err != nil {
			return err
		}
		c.state = Exited
	}
	if err := s.rt.Cleanup(c.ID); err != nil {
		return err
	}
	c.state = Removed
	return nil
}
