package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Runtime runs processes in a container.
type Runtime interface {
	Exec(ctx context.Context, id string, spec []string, stdio io.ReadCloser) (pid int, err error)
	Signal(pid int, sig uint32) error
}

type execState interface {
	Start(context.Context) error
	Delete(context.Context) error
	Kill(context.Context, uint32) error
	SetExited(int)
}

type execProcess struct {
	wg sync.WaitGroup

	mu        sync.Mutex
	execState execState
	id        string
	io        io.ReadCloser
	status    int
	exited    time.Time
	pid       int
	spec      []string

	runtime   Runtime
	stdio     func() (io.ReadCloser, error)
	waitBlock chan struct{}
}

// NewExec makes an additional process of a container.
func NewExec(id string, spec []string, runtime Runtime, stdio func() (io.ReadCloser, error)) *execProcess {
	e := &execProcess{id: id, spec: spec, runtime: runtime, stdio: stdio, waitBlock: make(chan struct{})}
	e.execState = &execCreatedState{p: e}
	return e
}

func (e *execProcess) Wait() {
	<-e.waitBlock
}

func (e *execProcess) Pid() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pid
}

func (e *execProcess) ExitStatus() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.status
}

func (e *execProcess) state() execState {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.execState
}

func (e *execProcess) Start(ctx context.Context) error {
	return e.state().Start(ctx)
}

func (e *execProcess) Delete(ctx context.Context) error {
	return e.state().Delete(ctx)
}

func (e *execProcess) Kill(ctx context.Context, sig uint32) error {
	return e.state().Kill(ctx, sig)
}

func (e *execProcess) SetExited(status int) {
	e.state().SetExited(status)
}

func (e *execProcess) setExited(status int) {
	e.status = status
	e.exited = time.Now()
	close(e.waitBlock)
}

func (e *execProcess) delete() error {
	e.wg.Wait()
	if e.io != nil {
		return e.io.Close()
	}
	return nil
}

func (e *execProcess) kill(sig uint32) error {
	if e.pid != 0 {
		if err := e.runtime.Signal(e.pid, sig); err != nil {
			return fmt.Errorf("exec kill error: %w", err)
		}
	}
	return nil
}

func (e *execProcess) start(ctx context.Context) (err error) {
	if e.io, err = e.stdio(); err != nil {
		return fmt.Errorf("failed to create runc io pipes: %w", err)
	}
	pid, err := e.runtime.Exec(ctx, e.id, e.spec, e.io)
	if err != nil {
		close(e.waitBlock)
		return fmt.Errorf("OCI runtime exec failed: %w", err)
	}
	stdout := e.io
	e.wg.Add(1)
	go func() {
		defer e.wg.Done()
		io.Copy(io.Discard, stdout)
	}()
	e.pid = pid
	return nil
}

type execCreatedState struct {
	p *execProcess
}

func (s *execCreatedState) transition(name string) error {
	switch name {
	case "running":
		s.p.execState = &execRunningState{p: s.p}
	case "stopped":
		s.p.execState = &execStoppedState{p: s.p}
	case "deleted":
		s.p.execState = &deletedState{}
	default:
		return fmt.Errorf("invalid state transition %q to %q", "created", name)
	}
	return nil
}

func (s *execCreatedState) Start(ctx context.Context) error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if err := s.p.start(ctx); err != nil {
		return err
	}
	return s.transition("running")
}

func (s *execCreatedState) Delete(ctx context.Context) error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if err := s.p.delete(); err != nil {
		return err
	}
	return s.transition("deleted")
}

func (s *execCreatedState) Kill(ctx context.Context, sig uint32) error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	return s.p.kill(sig)
}

func (s *execCreatedState) SetExited(status int) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.setExited(status)
	if err := s.transition("stopped"); err != nil {
		panic(err)
	}
}

type execRunningState struct {
	p *execProcess
}

func (s *execRunningState) transition(name string) error {
	switch name {
	case "stopped":
		s.p.execState = &execStoppedState{p: s.p}
	default:
		return fmt.Errorf("invalid state transition %q to %q", "running", name)
	}
	return nil
}

func (s *execRunningState) Start(ctx context.Context) error {
	return errors.New("cannot start a running process")
}

func (s *execRunningState) Delete(ctx context.Context) error {
	return errors.New("cannot delete a running process")
}

func (s *execRunningState) Kill(ctx context.Context, sig uint32) error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	return s.p.kill(sig)
}

func (s *execRunningState) SetExited(status int) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.setExited(status)
	if err := s.transition("stopped"); err != nil {
		panic(err)
	}
}

type execStoppedState struct {
	p *execProcess
}

func (s *execStoppedState) transition(name string) error {
	switch name {
	case "deleted":
		s.p.execState = &deletedState{}
	default:
		return fmt.Errorf("invalid state transition %q to %q", "stopped", name)
	}
	return nil
}

func (s *execStoppedState) Start(ctx context.Context) error {
	return errors.New("cannot start a stopped process")
}

func (s *execStoppedState) Delete(ctx context.Context) error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if err := s.p.delete(); err != nil {
		return err
	}
	return s.transition("deleted")
}

func (s *execStoppedState) Kill(ctx context.Context, sig uint32) error {
	return errors.New("process already finished")
}

func (s *execStoppedState) SetExited(status int) {
	// no op
}

type deletedState struct{}

func (s *deletedState) Start(ctx context.Context) error {
	return errors.New("cannot start a deleted process")
}

func (s *deletedState) Delete(ctx context.Context) error {
	return errors.New("cannot delete a deleted process")
}

func (s *deletedState) Kill(ctx context.Context, sig uint32) error {
	return errors.New("cannot kill a deleted process")
}

func (s *deletedState) SetExited(status int) {
	// no op
}
