// Package fix runs units and lets a successor wait for its predecessor.
package fix

import (
	"context"
	"errors"
	"sync"
)

var errClosed = errors.New("feed closed")

// Unit is an immutable description of what is run.
type Unit struct {
	ID     string
	Status string
	Tasks  map[string]string
}

// Ended reports whether nothing runs any more.
func (u *Unit) Ended() bool { return u.Status == "complete" || u.Status == "failed" }

// Feed passes on the newest unit; older ones that were not taken are replaced.
type Feed struct {
	mu     sync.Mutex
	outs   map[int]chan *Unit
	nextID int
	closed bool
	last   *Unit
}

// Send never blocks.
func (f *Feed) Send(u *Unit) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return errClosed
	}
	f.last = u
	for _, out := range f.outs {
		select {
		case out <- u:
		case <-out:
			out <- u
		}
	}
	return nil
}

// Close may be called more than once.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	for _, out := range f.outs {
		close(out)
	}
	f.outs = nil
	f.closed = true
}

// Tap is one listener of a feed.
type Tap struct {
	C  <-chan *Unit
	f  *Feed
	id int
}

// Listen returns a new tap.
func (f *Feed) Listen() *Tap {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make(chan *Unit, 1)
	if f.closed {
		close(out)
		return &Tap{C: out, f: f, id: -1}
	}
	if f.outs == nil {
		f.outs = make(map[int]chan *Unit)
	}
	if f.last != nil {
		out <- f.last
	}
	f.nextID++
	f.outs[f.nextID] = out
	return &Tap{C: out, f: f, id: f.nextID}
}

// Close ends the tap.
func (t *Tap) Close() {
	t.f.mu.Lock()
	defer t.f.mu.Unlock()
	if out, ok := t.f.outs[t.id]; ok {
		close(out)
		delete(t.f.outs, t.id)
	}
}

type taskEvent struct {
	task   string
	status string
}

// Runner runs one unit until it is destroyed.
type Runner struct {
	mu   sync.RWMutex
	unit *Unit

	feed    Feed
	events  chan taskEvent
	destroy chan struct{}
	once    sync.Once
}

// NewRunner starts a runner.
func NewRunner(u *Unit) *Runner {
	r := &Runner{unit: u, events: make(chan taskEvent, 8), destroy: make(chan struct{})}
	go r.loop()
	return r
}

// Unit returns the current state.
func (r *Runner) Unit() *Unit {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.unit
}

// TaskChanged is called by the tasks.
func (r *Runner) TaskChanged(task, status string) {
	select {
	case r.events <- taskEvent{task, status}:
	case <-r.destroy:
	}
}

func (r *Runner) loop() {
	defer r.feed.Close()
	for {
		select {
		case ev := <-r.events:
			u := r.apply(ev)
			r.feed.Send(u)
		case <-r.destroy:
			return
		}
	}
}

func (r *Runner) apply(ev taskEvent) *Unit {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := &Unit{ID: r.unit.ID, Status: "complete", Tasks: make(map[string]string, len(r.unit.Tasks))}
	for k, v := range r.unit.Tasks {
		u.Tasks[k] = v
	}
	u.Tasks[ev.task] = ev.status
	for _, st := range u.Tasks {
		switch st {
		case "failed":
			u.Status = "failed"
		case "pending", "running":
			if u.Status != "failed" {
				u.Status = "running"
			}
		}
	}
	r.unit = u
	return u
}

// Destroy ends the runner; it is called when the unit is collected.
func (r *Runner) Destroy() { r.once.Do(func() { close(r.destroy) }) }

// Waiter waits for a predecessor.
type Waiter interface {
	Wait(ctx context.Context) error
}

type noWait struct{}

func (noWait) Wait(context.Context) error { return nil }

type localWait struct {
	tap *Tap
}

// NewWaiter returns what the successor of prev has to wait for.
func NewWaiter(prev *Runner) Waiter {
	if prev == nil || prev.Unit().Ended() {
		return noWait{}
	}
	return &localWait{tap: prev.feed.Listen()}
}

// Wait returns when the predecessor has ended.
func (w *localWait) Wait(ctx context.Context) error {
	defer w.tap.Close()
	for {
		select {
		case u, ok := <-w.tap.C:
			if !ok || u.Ended() {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
