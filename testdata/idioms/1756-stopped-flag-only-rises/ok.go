package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrStopped is returned by an executor that takes no more tasks.
var ErrStopped = errors.New("executor: stopped")

// Executor runs each task on a goroutine of its own and can wait for all of
// them. Once stopped it is never started again.
type Executor struct {
	stopped atomic.Bool

	mu     sync.Mutex
	idle   *sync.Cond
	active int
	ended  bool // guards active: no task is let in afterwards
	hooks  []func()
}

// NewExecutor makes an executor.
func NewExecutor() *Executor {
	e := &Executor{}
	e.idle = sync.NewCond(&e.mu)
	return e
}

// enter counts a task in.
func (e *Executor) enter() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return ErrStopped
	}
	e.active++
	return nil
}

// leave counts a task out.
func (e *Executor) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.active--
	if e.active == 0 {
		e.idle.Broadcast()
	}
}

// Go runs a task. During a shutdown thousands of callers are turned away, for
// which the lock is not needed.
func (e *Executor) Go(task func()) error {
	if e.stopped.Load() {
		return ErrStopped
	}
	if err := e.enter(); err != nil {
		return err
	}
	go func() {
		defer e.leave()
		task()
	}()
	return nil
}

// OnStop adds a function that Stop calls when all tasks have ended. It says
// false when it is too late for that.
func (e *Executor) OnStop(fn func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return false
	}
	e.hooks = append(e.hooks, fn)
	return true
}

// finish lets no more tasks in, waits for those that run and returns the
// hooks. Only the first caller gets them.
func (e *Executor) finish() []func() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
	hooks := e.hooks
	e.hooks = nil
	for e.active > 0 {
		e.idle.Wait()
	}
	return hooks
}

// Stop waits for the tasks that run and calls the hooks, last one first. A
// further call waits for the tasks as well, but not for the hooks.
func (e *Executor) Stop() {
	e.stopped.Store(true)
	hooks := e.finish()
	for i := len(hooks) - 1; i >= 0; i-- {
		hooks[i]()
	}
}

// Active counts the tasks that run.
func (e *Executor) Active() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.active
}
