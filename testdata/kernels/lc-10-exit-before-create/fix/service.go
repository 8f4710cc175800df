package shim

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// EventType is the type of an event of the shim.
type EventType int

const (
	EventCreate EventType = iota
	EventExit
	EventExecAdded
	EventPaused
)

// Event is sent to the daemon.
type Event struct {
	Type       EventType
	ID         string
	Pid        uint32
	ExitStatus uint32
	ExitedAt   time.Time
}

// runtime starts processes with runc.
type runtime interface {
	Create(ctx context.Context, id, bundle string) (pid int, err error)
	Exec(ctx context.Context, id string, args []string) (pid int, err error)
	Pause(ctx context.Context, id string) error
	Kill(pid int, signal uint32) error
}

// process is a process of the container.
type process struct {
	pid int

	mu     sync.Mutex
	status int
	exited time.Time
}

// Pid returns the pid of the process.
func (p *process) Pid() int { return p.pid }

// Exited is called when the process has exited.
func (p *process) Exited(status int) {
	p.mu.Lock()
	p.status = status
	p.exited = time.Now()
	p.mu.Unlock()
}

// Status returns the exit status and when the process has exited.
func (p *process) Status() (int, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status, p.exited
}

// New returns a new shim service that can be used via GRPC
func New(runc runtime, reaper *Monitor) *Service {
	return &Service{
		runc:      runc,
		reaper:    reaper,
		processes: make(map[int]*process),
		events:    make(chan *Event, 4096),
	}
}

// Service is the shim service.
type Service struct {
	runc      runtime
	reaper    *Monitor
	id        string
	bundle    string
	mu        sync.Mutex
	processes map[int]*process
	events    chan *Event
}

// Create creates the container with its init process.
func (s *Service) Create(ctx context.Context, id, bundle string) (uint32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != "" {
		return 0, fmt.Errorf("container %s already exists", s.id)
	}
	s.reaper.Lock()
	pid, err := s.runc.Create(ctx, id, bundle)
	if err != nil {
		s.reaper.Unlock()
		return 0, err
	}
	p := &process{pid: pid}
	s.id = id
	s.bundle = bundle
	s.processes[pid] = p
	cmd := &Cmd{
		ExitCh: make(chan int, 1),
	}
	s.reaper.RegisterNL(pid, cmd)
	s.reaper.Unlock()
	s.events <- &Event{
		Type: EventCreate,
		ID:   id,
		Pid:  uint32(pid),
	}
	go s.waitExit(p, id, cmd)
	return uint32(pid), nil
}

// Exec starts an additional process in the container.
func (s *Service) Exec(ctx context.Context, args []string) (uint32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reaper.Lock()
	pid, err := s.runc.Exec(ctx, s.id, args)
	if err != nil {
		s.reaper.Unlock()
		return 0, err
	}
	p := &process{pid: pid}
	s.processes[pid] = p
	cmd := &Cmd{
		ExitCh: make(chan int, 1),
	}
	s.reaper.RegisterNL(pid, cmd)
	s.reaper.Unlock()
	s.events <- &Event{
		Type: EventExecAdded,
		ID:   s.id,
		Pid:  uint32(pid),
	}
	go s.waitExit(p, s.id, cmd)
	return uint32(pid), nil
}

// Delete forgets a process that has exited.
func (s *Service) Delete(ctx context.Context, pid uint32) (uint32, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.processes[int(pid)]
	if !ok {
		return 0, time.Time{}, fmt.Errorf("process does not exist %d", pid)
	}
	status, exited := p.Status()
	if exited.IsZero() {
		return 0, time.Time{}, fmt.Errorf("process %d is running", pid)
	}
	delete(s.processes, p.Pid())
	return uint32(status), exited, nil
}

// Events streams the events to the daemon.
func (s *Service) Events(ctx context.Context, send func(*Event) error) error {
	for {
		select {
		case e := <-s.events:
			if err := send(e); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Kill sends a signal to a process of the container.
func (s *Service) Kill(ctx context.Context, pid uint32, signal uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.processes[int(pid)]
	if !ok {
		return fmt.Errorf("process does not exist %d", pid)
	}
	return s.runc.Kill(p.Pid(), signal)
}

func (s *Service) waitExit(p *process, id string, cmd *Cmd) {
	status := <-cmd.ExitCh
	p.Exited(status)
	_, exitedAt := p.Status()
	s.events <- &Event{
		Type:       EventExit,
		ID:         id,
		Pid:        uint32(p.Pid()),
		ExitStatus: uint32(status),
		ExitedAt:   exitedAt,
	}
}
