package shim

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

var (
	errAlreadyExists      = errors.New("already exists")
	errNotFound           = errors.New("not found")
	errFailedPrecondition = errors.New("container must be created")
	errInvalidArgument    = errors.New("invalid argument")
)

type process interface {
	ID() string
	Pid() int
	Start(ctx context.Context) error
	Delete(ctx context.Context) error
	SetExited(status int)
}

type execConfig struct {
	id   string
	path string
	args []string
}

// task is a process in the container.
type task struct {
	mu      sync.Mutex
	id      string
	pidfile string
	cmd     *exec.Cmd
	pid     int
	status  int
	exited  time.Time
	waitCh  chan struct{}
}

func newTask(c execConfig) (*task, error) {
	if len(c.args) == 0 {
		return nil, errInvalidArgument
	}
	return &task{
		id:      c.id,
		pidfile: filepath.Join(c.path, fmt.Sprintf("%s.pid", c.id)),
		cmd:     exec.Command(c.args[0], c.args[1:]...),
		waitCh:  make(chan struct{}),
	}, nil
}

func (p *task) ID() string { return p.id }

func (p *task) Pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pid
}

func (p *task) Start(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pid != 0 {
		return errAlreadyExists
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.pid = p.cmd.Process.Pid
	return nil
}

func (p *task) Delete(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pid != 0 && p.exited.IsZero() {
		return fmt.Errorf("cannot delete running process %s", p.id)
	}
	return nil
}

func (p *task) SetExited(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.exited.IsZero() {
		return
	}
	p.status = status
	p.exited = time.Now()
	close(p.waitCh)
}

type exit struct {
	pid    int
	status int
}

// Service is the shim implementation of a remote shim over GRPC.
type Service struct {
	mu        sync.Mutex
	id        string
	path      string
	processes map[string]process
	events    chan any
	ec        chan exit
}

func NewService(path string) *Service {
	s := &Service{
		path:      path,
		processes: make(map[string]process),
		events:    make(chan any, 128),
		ec:        make(chan exit, 32),
	}
	go s.processExits()
	return s
}

// Create a new initial process for the container.
func (s *Service) Create(ctx context.Context, id string, args []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != "" {
		return errAlreadyExists
	}
	p, err := newTask(execConfig{id: id, path: s.path, args: args})
	if err != nil {
		return err
	}
	s.id = id
	s.processes[id] = p
	return nil
}

// Start a process.
func (s *Service) Start(ctx context.Context, id string) (int, error) {
	p, err := s.getProcess(id)
	if err != nil {
		return 0, err
	}
	if err := p.Start(ctx); err != nil {
		return 0, err
	}
	return p.Pid(), nil
}

// Exec an additional process inside the container.
func (s *Service) Exec(ctx context.Context, id string, args []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	if p := s.processes[id]; p != nil {
		return fmt.Errorf("id %s: %w", id, errAlreadyExists)
	}

	p := s.processes[s.id]
	if p == nil {
		return errFailedPrecondition
	}

	e, err := newTask(execConfig{id: id, path: s.path, args: args})
	if err != nil {
		return err
	}
	s.processes[id] = e
	return nil
}

// Pids returns the pids of all processes of the container.
func (s *Service) Pids() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var pids []int
	for _, p := range s.processes {
		if pid := p.Pid(); pid != 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (s *Service) getProcess(id string) (process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.processes[id]
	if p == nil {
		return nil, fmt.Errorf("process %s: %w", id, errNotFound)
	}
	return p, nil
}

func (s *Service) processExits() {
	for e := range s.ec {
		s.mu.Lock()
		for _, p := range s.processes {
			if p.Pid() == e.pid {
				p.SetExited(e.status)
				s.events <- e
			}
		}
		s.mu.Unlock()
	}
}
