// Package containers manages the containers of a host. Requests of the API
// run on their own goroutines and may concern the same container.
package containers

import (
	"errors"
	"fmt"
	"sync"
)

var (
	// ErrNotFound is returned for an unknown container.
	ErrNotFound = errors.New("containers: not found")
	// ErrExists is returned when a name is taken.
	ErrExists = errors.New("containers: name in use")
	// ErrState is returned when a container is in the wrong state.
	ErrState = errors.New("containers: wrong state")
)

// State of a container.
type State string

// States of a container. Starting and Removing belong to the request that has
// brought the container there.
const (
	Created  State = "created"
	Starting State = "starting"
	Running  State = "running"
	Exited   State = "exited"
	Removing State = "removing"
	Dead     State = "dead" // a removal has failed
)

// Task is the process of a container. Kill does nothing after the exit.
type Task interface {
	Kill() error
	Wait() int
}

// Driver does the work on the host.
type Driver interface {
	Launch(name string) (Task, error)
	Unmount(name string) error
	RemoveData(name string) error
}

type container struct {
	name string

	mu    sync.Mutex
	state State
	task  Task
	code  int
}

// enter moves the container to a state if it is in one of the given ones.
func (c *container) enter(to State, from ...State) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range from {
		if c.state == s {
			c.state = to
			return nil
		}
	}
	return fmt.Errorf("%s is %s: %w", c.name, c.state, ErrState)
}

// settle ends a state that belongs to the caller.
func (c *container) settle(to State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = to
}

// running records the process of a container that was starting.
func (c *container) running(t Task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state, c.task = Running, t
}

// exited records the end of the process.
func (c *container) exited(code int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state, c.task, c.code = Exited, nil, code
}

// Info describes a container.
type Info struct {
	Name     string
	State    State
	ExitCode int
}

// Manager holds the containers. It is safe for concurrent use.
type Manager struct {
	driver Driver

	mu     sync.RWMutex
	byName map[string]*container
}

// NewManager returns a manager without containers.
func NewManager(d Driver) *Manager {
	return &Manager{driver: d, byName: make(map[string]*container)}
}

// Create adds a container.
func (m *Manager) Create(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.byName[name]; taken {
		return fmt.Errorf("%s: %w", name, ErrExists)
	}
	m.byName[name] = &container{name: name, state: Created}
	return nil
}

func (m *Manager) find(name string) (*container, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c, ok := m.byName[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, ErrNotFound)
	}
	return c, nil
}

// Start runs the process of a container.
func (m *Manager) Start(name string) error {
	c, err := m.find(name)
	if err != nil {
		return err
	}
	if err := c.enter(Starting, Created); err != nil {
		return err
	}
	t, err := m.driver.Launch(name)
	if err != nil {
		c.settle(Created)
		return err
	}
	c.running(t)
	go func() { c.exited(t.Wait()) }()
	return nil
}

// Kill ends the process of a container.
func (m *Manager) Kill(name string) error {
	c, err := m.find(name)
	if err != nil {
		return err
	}
	c.mu.Lock()
	t := c.task
	c.mu.Unlock()
	if t == nil {
		return fmt.Errorf("%s: %w", name, ErrState)
	}
	return t.Kill()
}

// Inspect describes a container.
func (m *Manager) Inspect(name string) (Info, error) {
	c, err := m.find(name)
	if err != nil {
		return Info{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return Info{Name: c.name, State: c.state, ExitCode: c.code}, nil
}

// Remove deletes a container and its data. A removal that fails can be tried
// again.
func (m *Manager) Remove(name string) error {
	c, err := m.find(name)
	if err != nil {
		return err
	}
	if err := c.enter(Removing, Created, Exited, Dead); err != nil {
		return err
	}
	if err := m.driver.Unmount(name); err != nil {
		c.settle(Dead)
		return err
	}
	if err := m.driver.RemoveData(name); err != nil {
		c.settle(Dead)
		return err
	}
	m.mu.Lock()
	delete(m.byName, name)
	m.mu.Unlock()
	return nil
}
