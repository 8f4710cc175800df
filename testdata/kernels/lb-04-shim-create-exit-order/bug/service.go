package shim

import (
	"context"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// EventType of a container
type EventType int

const (
	EventCreate EventType = iota
	EventExecAdded
	EventExit
)

// Event is forwarded to the daemon.
type Event struct {
	ID         string
	Type       EventType
	Pid        uint32
	ExitStatus uint32
	ExitedAt   time.Time
}

type process interface {
	Pid() int
	Exited(status int)
	Status() int
	ExitedAt() time.Time
	Delete(ctx context.Context) error
}

// New returns a new shim service that can be used via GRPC
func New(path string) *Service {
	return &Service{
		path:      path,
		processes: make(map[int]process),
		events:    make(chan *Event, 4096),
	}
}

type Service struct {
	initProcess process
	path        string
	id          string
	bundle      string
	mu          sync.Mutex
	processes   map[int]process
	events      chan *Event
	execID      int
}

func (s *Service) Create(ctx context.Context, r *CreateRequest) (*CreateResponse, error) {
	defaultReaper.Lock()
	process, err := newProcess(ctx, s.path, r.Args)
	if err != nil {
		defaultReaper.Unlock()
		return nil, err
	}
	s.mu.Lock()
	s.id = r.ID
	s.bundle = r.Bundle
	s.initProcess = process
	pid := process.Pid()
	s.processes[pid] = process
	s.mu.Unlock()
	cmd := &Cmd{
		ExitCh: make(chan int, 1),
	}
	defaultReaper.RegisterNL(pid, cmd)
	defaultReaper.Unlock()
	go s.waitExit(process, pid, cmd)
	s.events <- &Event{
		Type: EventCreate,
		ID:   r.ID,
		Pid:  uint32(pid),
	}
	return &CreateResponse{
		Pid: uint32(pid),
	}, nil
}

func (s *Service) Delete(ctx context.Context, pid int) (uint32, error) {
	s.mu.Lock()
	p, ok := s.processes[pid]
	s.mu.Unlock()
	if !ok {
		return 0, fmt.Errorf("process does not exist %d", pid)
	}
	if err := p.Delete(ctx); err != nil {
		return 0, err
	}
	s.mu.Lock()
	delete(s.processes, p.Pid())
	s.mu.Unlock()
	return uint32(p.Status()), nil
}

func (s *Service) Exec(ctx context.Context, r *ExecRequest) (*ExecResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.execID++
	defaultReaper.Lock()
	process, err := newProcess(ctx, s.path, r.Args)
	if err != nil {
		defaultReaper.Unlock()
		return nil, err
	}
	pid := process.Pid()
	s.processes[pid] = process
	cmd := &Cmd{
		ExitCh: make(chan int, 1),
	}
	defaultReaper.RegisterNL(pid, cmd)
	defaultReaper.Unlock()
	go s.waitExit(process, pid, cmd)
	s.events <- &Event{
		Type: EventExecAdded,
		ID:   s.id,
		Pid:  uint32(pid),
	}
	return &ExecResponse{
		Pid: uint32(pid),
	}, nil
}

// Events forwards the events of the container to stream until it fails.
func (s *Service) Events(stream func(*Event) error) error {
	for e := range s.events {
		if err := stream(e); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) Kill(ctx context.Context, pid int, sig syscall.Signal) error {
	s.mu.Lock()
	_, ok := s.processes[pid]
	s.mu.Unlock()
	if !ok {
		return fmt.Errorf("process %d does not exist in container", pid)
	}
	return syscall.Kill(pid, sig)
}

func (s *Service) waitExit(p process, pid int, cmd *Cmd) {
	status := <-cmd.ExitCh
	p.Exited(status)
	s.events <- &Event{
		Type:       EventExit,
		ID:         s.id,
		Pid:        uint32(pid),
		ExitStatus: uint32(status),
		ExitedAt:   p.ExitedAt(),
	}
}

type (
	CreateRequest struct {
		ID, Bundle string
		Args       []string
	}
	CreateResponse struct{ Pid uint32 }
	ExecRequest    struct{ Args []string }
	ExecResponse   struct{ Pid uint32 }
)

// runcProcess is a process which was started by runc.
type runcProcess struct {
	pid int

	mu     sync.Mutex
	status int
	exited time.Time
}

func newProcess(ctx context.Context, path string, args []string) (process, error) {
	c := exec.Command(path, args...)
	if err := c.Start(); err != nil {
		return nil, err
	}
	return &runcProcess{pid: c.Process.Pid}, nil
}

func (p *runcProcess) Pid() int { return p.pid }

func (p *runcProcess) Exited(status int) {
	p.mu.Lock()
	p.status = status
	p.exited = time.Now()
	p.mu.Unlock()
}

func (p *runcProcess) Status() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

func (p *runcProcess) ExitedAt() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exited
}

func (p *runcProcess) Delete(ctx context.Context) error { return nil }
