// Package ok transcodes videos.
package ok

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrUnknown = errors.New("transcode: unknown task")
	ErrBusy    = errors.New("transcode: task is being worked on")
)

type State int

const (
	Waiting State = iota
	Working
	Done
	Failed
)

// Task is a video to be transcoded.
type Task struct {
	ID     string
	Source string
	State  State
	Output string
	Err    error
}

// Encoder does the work.
type Encoder func(ctx context.Context, source string) (string, error)

// Desk hands tasks to workers. A task in state Working belongs to the worker
// that has put it there: until that worker settles it, nobody else changes it
// or takes it off the desk.
type Desk struct {
	encode Encoder

	mu    sync.Mutex
	tasks map[string]*Task
	queue chan *Task
}

func NewDesk(ctx context.Context, workers, backlog int, e Encoder) *Desk {
	d := &Desk{encode: e, tasks: make(map[string]*Task), queue: make(chan *Task, backlog)}
	for range workers {
		go d.work(ctx)
	}
	return d
}

// Add enters a task, or enters a failed one again.
func (d *Desk) Add(ctx context.Context, id, source string) error {
	d.mu.Lock()
	if t, ok := d.tasks[id]; ok && t.State != Failed {
		d.mu.Unlock()
		return ErrBusy
	}
	t := &Task{ID: id, Source: source}
	d.tasks[id] = t
	d.mu.Unlock()
	select {
	case d.queue <- t:
		return nil
	case <-ctx.Done():
		d.withdraw(t)
		return ctx.Err()
	}
}

// withdraw takes out a task that is in no queue, unless somebody did so before.
func (d *Desk) withdraw(t *Task) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tasks[t.ID] == t {
		delete(d.tasks, t.ID)
	}
}

// Remove takes a task off the desk unless somebody works on it.
func (d *Desk) Remove(id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.tasks[id]
	if !ok {
		return ErrUnknown
	}
	if t.State == Working {
		return ErrBusy
	}
	delete(d.tasks, id)
	return nil
}

// claim makes the caller the owner of a task if it still waits.
func (d *Desk) claim(t *Task) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tasks[t.ID] != t || t.State != Waiting {
		return false
	}
	t.State = Working
	return true
}

func (d *Desk) settle(t *Task, output string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t.Output, t.Err = output, err
	if t.State = Done; err != nil {
		t.State = Failed
	}
}

func (d *Desk) work(ctx context.Context) {
	for {
		select {
		case t := <-d.queue:
			if !d.claim(t) {
				continue
			}
			out, err := d.encode(ctx, t.Source)
			d.settle(t, out, err)
		case <-ctx.Done():
			return
		}
	}
}

// Get is a copy of a task.
func (d *Desk) Get(id string) (Task, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.tasks[id]
	if !ok {
		return Task{}, ErrUnknown
	}
	return *t, nil
}
