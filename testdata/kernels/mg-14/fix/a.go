package a

import (
	"context"
	"errors"
	"sync"
)

var errNotFound = errors.New("process does not exist")

// Exit is reported by the reaper, once for every child of the shim.
type Exit struct {
	Pid    int
	Status int
}

// launcher forks the processes of a container.
type launcher interface {
	Start(ctx context.Context, id string) (pid int, err error)
}

// process is the init process of a container or an exec in it.
type process struct {
	id   string
	once sync.Once
	done chan struct{}

	mu     sync.Mutex
	status int
}

func newProcess(id string) *process {
	return &process{id: id, done: make(chan struct{})}
}

func (p *process) setExited(status int) {
	p.once.Do(func() {
		p.mu.Lock()
		p.status = status
		p.mu.Unlock()
		close(p.done)
	})
}

func (p *process) wait(ctx context.Context) (int, error) {
	select {
	case <-p.done:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.status, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// service is the task service of a shim.
type service struct {
	runtime launcher
	exits   <-chan Exit
	publish func(topic, id string)

	mu        sync.Mutex
	processes map[string]*process

	lifecycleMu sync.Mutex
	running     map[int]*process
	subscribers map[*earlyExits]struct{}
}

type earlyExits struct {
	byPid map[int]Exit
}

func newService(r launcher, exits <-chan Exit, publish func(topic, id string)) *service {
	s := &service{
		runtime:     r,
		exits:       exits,
		publish:     publish,
		processes:   make(map[string]*process),
		running:     make(map[int]*process),
		subscribers: make(map[*earlyExits]struct{}),
	}
	go s.processExits()
	return s
}

// Create makes a process known under an ID; it does not run yet.
func (s *service) Create(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.processes[id]; ok {
		return errors.New("process already exists")
	}
	s.processes[id] = newProcess(id)
	return nil
}

func (s *service) getProcess(id string) (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.processes[id]
	if !ok {
		return nil, errNotFound
	}
	return p, nil
}

// Start runs a process that was created. The client calls it once for an ID.
func (s *service) Start(ctx context.Context, id string) (int, error) {
	p, err := s.getProcess(id)
	if err != nil {
		return 0, err
	}
	early := &earlyExits{byPid: make(map[int]Exit)}
	s.lifecycleMu.Lock()
	s.subscribers[early] = struct{}{}
	s.lifecycleMu.Unlock()
	pid, err := s.runtime.Start(ctx, id)
	if err != nil {
		s.lifecycleMu.Lock()
		delete(s.subscribers, early)
		s.lifecycleMu.Unlock()
		return 0, err
	}
	s.publish("/tasks/start", id)
	s.lifecycleMu.Lock()
	delete(s.subscribers, early)
	e, exited := early.byPid[pid]
	if !exited {
		s.running[pid] = p
	}
	s.lifecycleMu.Unlock()
	if exited {
		s.handleProcessExit(e, p)
	}
	return pid, nil
}

// processExits dispatches the exits of the reaper. Children that are no
// process of ours, such as helpers of the runtime, are passed over.
func (s *service) processExits() {
	for e := range s.exits {
		s.lifecycleMu.Lock()
		p, ok := s.running[e.Pid]
		delete(s.running, e.Pid)
		if !ok {
			for early := range s.subscribers {
				early.byPid[e.Pid] = e
			}
		}
		s.lifecycleMu.Unlock()
		if ok {
			s.handleProcessExit(e, p)
		}
	}
}

func (s *service) handleProcessExit(e Exit, p *process) {
	p.setExited(e.Status)
	s.publish("/tasks/exit", p.id)
}

// Wait returns the exit status of a process when it has ended.
func (s *service) Wait(ctx context.Context, id string) (int, error) {
	p, err := s.getProcess(id)
	if err != nil {
		return 0, err
	}
	return p.wait(ctx)
}
