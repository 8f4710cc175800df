package task

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrUnknownTask is returned for an id that is not known.
var ErrUnknownTask = errors.New("task: unknown task")

// Exit tells how a task ended.
type Exit struct {
	Code int
	At   time.Time
}

type task struct {
	id string

	mu      sync.Mutex
	exit    *Exit
	waiters map[chan Exit]struct{}
}

func (t *task) exited() (Exit, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.exit == nil {
		return Exit{}, false
	}
	return *t.exit, true
}

func (t *task) addWaiter(ch chan Exit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiters == nil {
		t.waiters = make(map[chan Exit]struct{})
	}
	t.waiters[ch] = struct{}{}
}

func (t *task) dropWaiter(ch chan Exit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waiters, ch)
}

func (t *task) setExit(e Exit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.exit != nil {
		return
	}
	t.exit = &e
	for ch := range t.waiters {
		ch <- e
		delete(t.waiters, ch)
	}
}

func (t *task) wait(ctx context.Context) (Exit, error) {
	if e, ok := t.exited(); ok {
		return e, nil
	}
	ch := make(chan Exit, 1)
	t.addWaiter(ch)
	defer t.dropWaiter(ch)
	if e, ok := t.exited(); ok {
		return e, nil
	}
	select {
	case e := <-ch:
		return e, nil
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}

// Shim runs the process of a task.
type Shim interface {
	Run(ctx context.Context, id string) (code int, err error)
}

// Service is the task service of the runtime.
type Service struct {
	shim Shim

	mu    sync.RWMutex
	tasks map[string]*task
}

// NewService returns a service without tasks.
func NewService(s Shim) *Service { return &Service{shim: s, tasks: make(map[string]*task)} }

// Start runs a new task.
func (s *Service) Start(ctx context.Context, id string) error {
	t := &task{id: id}
	s.mu.Lock()
	if _, dup := s.tasks[id]; dup {
		s.mu.Unlock()
		return fmt.Errorf("task: %s exists", id)
	}
	s.tasks[id] = t
	s.mu.Unlock()

	ctx = context.WithoutCancel(ctx)
	go func() {
		code, err := s.shim.Run(ctx, id)
		if err != nil {
			code = 255
		}
		t.setExit(Exit{Code: code, At: time.Now()})
	}()
	return nil
}

func (s *Service) lookup(id string) (*task, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, ok := s.tasks[id]
	if !ok {
		return nil, ErrUnknownTask
	}
	return t, nil
}

// Wait blocks until the task has exited.
func (s *Service) Wait(ctx context.Context, id string) (Exit, error) {
	t, err := s.lookup(id)
	if err != nil {
		return Exit{}, err
	}
	return t.wait(ctx)
}
