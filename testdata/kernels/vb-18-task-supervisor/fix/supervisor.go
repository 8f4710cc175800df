package supervisor

import (
	"context"
	"sync"
)

// Task runs until it is done or its context is cancelled.
type Task func(ctx context.Context) error

type Supervisor struct {
	sync.Mutex
	running map[string]context.CancelFunc
	failed  map[string][]error
	wg      sync.WaitGroup
}

func New() *Supervisor {
	return &Supervisor{
		running: map[string]context.CancelFunc{},
		failed:  map[string][]error{},
	}
}

func (s *Supervisor) do(f func()) {
	s.Lock()
	defer s.Unlock()
	f()
}

func (s *Supervisor) run(ctx context.Context, name string, t Task) {
	defer s.wg.Done()
	err := t(ctx)
	s.do(func() {
		delete(s.running, name)
		if err != nil {
			s.failed[name] = append(s.failed[name], err)
		}
	})
}

// Go starts the task; every call must use a name of its own.
func (s *Supervisor) Go(parent context.Context, name string, t Task) {
	ctx, cancel := context.WithCancel(parent)
	s.wg.Add(1)
	s.do(func() { s.running[name] = cancel })
	go s.run(ctx, name, t)
}

// Idle reports whether no task is running.
func (s *Supervisor) Idle() (idle bool) {
	s.do(func() { idle = len(s.running) == 0 })
	return
}

// Stop cancels what is running and waits for it; no call of Go may follow.
func (s *Supervisor) Stop() map[string][]error {
	s.do(func() {
		for _, cancel := range s.running {
			cancel()
		}
	})
	s.wg.Wait()
	s.Lock()
	defer s.Unlock()
	return s.failed
}
