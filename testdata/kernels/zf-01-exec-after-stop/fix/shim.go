// Package shim supervises the processes of the containers of one pod. The
// node agent talks to it over a socket; every request is served on its own
// goroutine.
package shim

import (
	"errors"
	"fmt"
	"sync"
)

var (
	// ErrNotFound is returned for a container the shim does not know.
	ErrNotFound = errors.New("shim: no such container")
	// ErrExists is returned for an id that is already taken.
	ErrExists = errors.New("shim: id already in use")
	// ErrNotRunning is returned when a request needs a running container.
	ErrNotRunning = errors.New("shim: container is not running")
	// ErrBusy is returned when a container is in the wrong state for a request.
	ErrBusy = errors.New("shim: container is busy")
)

// State is the place of a container in its life.
type State int

// Containers go through the states in this order and never back.
const (
	Created State = iota
	Running
	Stopped
	Deleted
)

// Process is a process in the namespaces of a container.
type Process interface {
	// Kill sends SIGKILL. It does nothing when the process has gone.
	Kill()
	// Wait blocks until the process has gone and returns its exit code. It
	// may be called by several goroutines.
	Wait() int
}

// Launcher creates processes in the namespaces of a container.
type Launcher interface {
	Launch(container string, args []string) (Process, error)
}

// Container is one container of the pod.
type Container struct {
	id   string
	args []string

	mu    sync.Mutex
	state State
	init  Process
	execs map[string]Process
}

// State returns the current state.
func (c *Container) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// requireRunning returns an error unless the container is running.
func (c *Container) requireRunning() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != Running {
		return fmt.Errorf("%s: %w", c.id, ErrNotRunning)
	}
	return nil
}

// start launches the init process.
func (c *Container) start(l Launcher) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != Created {
		return fmt.Errorf("%s: %w", c.id, ErrBusy)
	}
	p, err := l.Launch(c.id, c.args)
	if err != nil {
		return err
	}
	c.init, c.state = p, Running
	return nil
}

// stop moves the container to Stopped and returns what has to be killed.
func (c *Container) stop() ([]Process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != Running {
		return nil, fmt.Errorf("%s: %w", c.id, ErrNotRunning)
	}
	c.state = Stopped
	victims := make([]Process, 0, len(c.execs)+1)
	for _, p := range c.execs {
		victims = append(victims, p)
	}
	victims = append(victims, c.init)
	c.execs = nil
	return victims, nil
}

// retire moves the container to Deleted.
func (c *Container) retire() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.state {
	case Running:
		return fmt.Errorf("%s: %w", c.id, ErrBusy)
	case Deleted:
		return fmt.Errorf("%s: %w", c.id, ErrNotFound)
	}
	c.state = Deleted
	return nil
}

// addExec records an additional process of a running container.
func (c *Container) addExec(execID string, p Process) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != Running {
		return fmt.Errorf("%s: %w", c.id, ErrNotRunning)
	}
	if _, taken := c.execs[execID]; taken {
		return fmt.Errorf("%s: %w", execID, ErrExists)
	}
	if c.execs == nil {
		c.execs = make(map[string]Process)
	}
	c.execs[execID] = p
	return nil
}

// removeExec forgets an additional process once it has exited.
func (c *Container) removeExec(execID string, p Process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.execs[execID] == p {
		delete(c.execs, execID)
	}
}

// Shim serves the requests of the node agent. Its methods may be called from
// several goroutines.
type Shim struct {
	launcher Launcher

	mu         sync.Mutex
	containers map[string]*Container
}

// New returns a shim without containers.
func New(l Launcher) *Shim {
	return &Shim{launcher: l, containers: make(map[string]*Container)}
}

// Create registers a container. It does not start anything.
func (s *Shim) Create(id string, args []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.containers[id]; taken {
		return fmt.Errorf("%s: %w", id, ErrExists)
	}
	s.containers[id] = &Container{id: id, args: args}
	return nil
}

func (s *Shim) container(id string) (*Container, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.containers[id]
	if !ok {
		return nil, fmt.Errorf("%s: %w", id, ErrNotFound)
	}
	return c, nil
}

// Start runs the init process of a container.
func (s *Shim) Start(id string) error {
	c, err := s.container(id)
	if err != nil {
		return err
	}
	return c.start(s.launcher)
}

// Exec runs an additional process in a running container and calls exited
// with its exit code. Stop ends the process together with the container.
func (s *Shim) Exec(id, execID string, args []string, exited func(code int)) error {
	c, err := s.container(id)
	if err != nil {
		return err
	}
	if err := c.requireRunning(); err != nil {
		return err
	}
	p, err := s.launcher.Launch(id, args)
	if err != nil {
		return err
	}
	if err := c.addExec(execID, p); err != nil {
		p.Kill()
		p.Wait()
		return err
	}
	go func() {
		code := p.Wait()
		c.removeExec(execID, p)
		exited(code)
	}()
	return nil
}

// Stop kills all processes of a container and waits until they have gone.
func (s *Shim) Stop(id string) error {
	c, err := s.container(id)
	if err != nil {
		return err
	}
	victims, err := c.stop()
	if err != nil {
		return err
	}
	for _, p := range victims {
		p.Kill()
	}
	for _, p := range victims {
		p.Wait()
	}
	return nil
}

// Delete forgets a container that is not running.
func (s *Shim) Delete(id string) error {
	c, err := s.container(id)
	if err != nil {
		return err
	}
	if err := c.retire(); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.containers, id)
	s.mu.Unlock()
	return nil
}
