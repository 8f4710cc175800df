package lr06

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

type execState interface {
	Start() error
	Delete() error
	SetExited(status int)
}

type execProcess struct {
	mu    sync.Mutex
	state execState

	wg      sync.WaitGroup
	ioMu    sync.Mutex
	closers []io.Closer

	pid       atomic.Int64
	status    int
	waitBlock chan struct{}

	spawn func() (pid int64, pipes []io.Closer, err error)
}

// New returns a process that is created but not started.
func New(spawn func() (int64, []io.Closer, error)) *execProcess {
	p := &execProcess{spawn: spawn, waitBlock: make(chan struct{})}
	p.state = &createdState{p: p}
	return p
}

func (p *execProcess) current() execState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

// Start starts the process.
func (p *execProcess) Start() error { return p.current().Start() }

// Delete removes the process and its resources.
func (p *execProcess) Delete() error { return p.current().Delete() }

// SetExited records the exit.
func (p *execProcess) SetExited(status int) { p.current().SetExited(status) }

func (p *execProcess) start() error {
	pid, pipes, err := p.spawn()
	if err != nil {
		return err
	}
	p.ioMu.Lock()
	p.closers = append(p.closers, pipes...)
	p.ioMu.Unlock()
	p.pid.Store(pid)
	return nil
}

func (p *execProcess) delete() error {
	p.wg.Wait()
	p.ioMu.Lock()
	defer p.ioMu.Unlock()
	for _, c := range p.closers {
		c.Close()
	}
	p.closers = nil
	return nil
}

func (p *execProcess) setExited(status int) {
	p.status = status
	close(p.waitBlock)
}

type createdState struct{ p *execProcess }

func (s *createdState) transition(name string) error {
	switch name {
	case "running":
		s.p.state = &runningState{p: s.p}
	case "stopped":
		s.p.state = &stoppedState{p: s.p}
	case "deleted":
		s.p.state = &deletedState{}
	default:
		return fmt.Errorf("invalid state transition created to %q", name)
	}
	return nil
}

func (s *createdState) Start() error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if _, ok := s.p.state.(*createdState); !ok {
		return fmt.Errorf("process is not created")
	}
	if err := s.p.start(); err != nil {
		return err
	}
	return s.transition("running")
}

func (s *createdState) Delete() error {
	if err := s.p.delete(); err != nil {
		return err
	}
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	return s.transition("deleted")
}

func (s *createdState) SetExited(status int) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.setExited(status)
	if err := s.transition("stopped"); err != nil {
		panic(err)
	}
}

type runningState struct{ p *execProcess }

func (s *runningState) Start() error  { return fmt.Errorf("cannot start a running process") }
func (s *runningState) Delete() error { return fmt.Errorf("cannot delete a running process") }

func (s *runningState) SetExited(status int) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.setExited(status)
	s.p.state = &stoppedState{p: s.p}
}

type stoppedState struct{ p *execProcess }

func (s *stoppedState) Start() error { return fmt.Errorf("cannot start a stopped process") }

func (s *stoppedState) Delete() error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if err := s.p.delete(); err != nil {
		return err
	}
	s.p.state = &deletedState{}
	return nil
}

func (s *stoppedState) SetExited(int) {}

type deletedState struct{}

func (deletedState) Start() error  { return fmt.Errorf("cannot start a deleted process") }
func (deletedState) Delete() error { return fmt.Errorf("cannot delete a deleted process") }
func (deletedState) SetExited(int) {}
