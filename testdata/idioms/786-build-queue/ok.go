// Package buildqueue runs queued builds on a few workers.
package buildqueue

import (
	"context"
	"errors"
	"sync"
	"time"
)

// State is where a build is in its life.
type State int

// The states of a build.
const (
	Pending State = iota
	Running
	Passed
	Failed
	Canceled
)

var (
	// ErrUnknown is returned for ids that were never queued.
	ErrUnknown = errors.New("buildqueue: unknown build")
	// ErrStarted is returned when it is too late to cancel a build.
	ErrStarted = errors.New("buildqueue: build already started")
)

// Build is one queued command.
type Build struct {
	ID       int
	Command  string
	State    State
	Started  time.Time
	Finished time.Time
}

// Runner executes a command and may take minutes.
type Runner func(ctx context.Context, command string) error

// Queue holds builds in the order they came.
type Queue struct {
	run Runner

	mu     sync.Mutex
	wake   *sync.Cond
	builds []*Build
	closed bool
}

// New returns an empty queue.
func New(run Runner) *Queue {
	q := &Queue{run: run}
	q.wake = sync.NewCond(&q.mu)
	return q
}

// Enqueue adds a build and returns its id.
func (q *Queue) Enqueue(command string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	id := len(q.builds)
	q.builds = append(q.builds, &Build{ID: id, Command: command})
	q.wake.Signal()
	return id
}

// Cancel takes a build that has not started out of the queue.
func (q *Queue) Cancel(id int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if id < 0 || id >= len(q.builds) {
		return ErrUnknown
	}
	b := q.builds[id]
	if b.State != Pending {
		return ErrStarted
	}
	b.State = Canceled
	b.Finished = time.Now()
	return nil
}

// Work runs builds until the queue is closed.
func (q *Queue) Work(ctx context.Context) {
	for {
		id, command, ok := q.next()
		if !ok {
			return
		}
		state := Passed
		if err := q.run(ctx, command); err != nil {
			state = Failed
		}
		q.finish(id, state)
	}
}

func (q *Queue) next() (id int, command string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.closed {
		for _, b := range q.builds {
			if b.State == Pending {
				b.State = Running
				b.Started = time.Now()
				return b.ID, b.Command, true
			}
		}
		q.wake.Wait()
	}
	return 0, "", false
}

func (q *Queue) finish(id int, s State) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.builds[id].State = s
	q.builds[id].Finished = time.Now()
}

// Get returns a copy of a build.
func (q *Queue) Get(id int) (Build, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if id < 0 || id >= len(q.builds) {
		return Build{}, ErrUnknown
	}
	return *q.builds[id], nil
}

// Close lets the workers end after their current build.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake.Broadcast()
}
