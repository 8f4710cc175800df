// Package dispatch runs maintenance tasks on a fixed set of workers.
package dispatch

import (
	"errors"
	"log/slog"
	"sync"
	"time"
)

// ErrStopped is returned by Submit after Stop.
var ErrStopped = errors.New("dispatch: stopped")

// Task is one unit of work.
type Task struct {
	Name string
	Run  func() error

	id uint64
}

// Running describes a task being executed.
type Running struct {
	Name  string
	Since time.Time
}

// Dispatcher queues tasks and executes them. It is safe for concurrent use.
type Dispatcher struct {
	log *slog.Logger
	wg  sync.WaitGroup

	mu      sync.Mutex
	changed *sync.Cond // queue, running or stopped changed
	nextID  uint64
	queue   []Task
	running map[uint64]Running
	failed  int
	stopped bool
}

// New starts a dispatcher with n workers.
func New(n int, log *slog.Logger) *Dispatcher {
	d := &Dispatcher{log: log, running: make(map[uint64]Running)}
	d.changed = sync.NewCond(&d.mu)
	d.wg.Add(n)
	for range n {
		go d.worker()
	}
	return d
}

// Submit queues a task.
func (d *Dispatcher) Submit(name string, run func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return ErrStopped
	}
	d.nextID++
	d.queue = append(d.queue, Task{Name: name, Run: run, id: d.nextID})
	d.changed.Broadcast()
	return nil
}

// Quiesce blocks until no task is queued or being executed. Callers that have
// stopped submitting may touch the data the tasks work on afterwards.
func (d *Dispatcher) Quiesce() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.queue) > 0 || len(d.running) > 0 {
		d.changed.Wait()
	}
}

// Snapshot lists the tasks being executed.
func (d *Dispatcher) Snapshot() []Running {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]Running, 0, len(d.running))
	for _, r := range d.running {
		out = append(out, r)
	}
	return out
}

// Failed returns the number of tasks that returned an error.
func (d *Dispatcher) Failed() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// Stop refuses further tasks, executes those queued and waits for the workers.
func (d *Dispatcher) Stop() {
	d.mu.Lock()
	d.stopped = true
	d.changed.Broadcast()
	d.mu.Unlock()
	d.wg.Wait()
}

func (d *Dispatcher) worker() {
	defer d.wg.Done()
	for {
		t, ok := d.dequeue()
		if !ok {
			return
		}
		err := t.Run()
		d.finish(t, err)
	}
}

// dequeue waits for a task and marks it running; ok is false when there will
// be none.
func (d *Dispatcher) dequeue() (t Task, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.queue) == 0 {
		if d.stopped {
			return Task{}, false
		}
		d.changed.Wait()
	}
	t = d.queue[0]
	d.queue = d.queue[1:]
	d.running[t.id] = Running{Name: t.Name, Since: time.Now()}
	return t, true
}

func (d *Dispatcher) finish(t Task, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.running, t.id)
	if err != nil {
		d.failed++
		d.log.Warn("task failed", "task", t.Name, "err", err)
	}
	d.changed.Broadcast()
}
