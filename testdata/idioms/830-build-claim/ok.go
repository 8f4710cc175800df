// Package builds runs queued builds on a set of workers, with retries and
// cancellation.
package builds

import (
	"context"
	"errors"
	"sync"
)

// State is where a build is in its life.
type State int

// A build is Pending until a worker claims it and ends in one of the last
// three states.
const (
	Pending State = iota
	Running
	Succeeded
	Failed
	Cancelled
)

// ErrUnknown is returned for an id that is not known.
var ErrUnknown = errors.New("builds: unknown id")

// Executor performs a build.
type Executor func(ctx context.Context, spec string) error

type build struct {
	id       int
	spec     string
	state    State
	attempts int
	stop     context.CancelFunc // set while running
	aborted  bool               // cancelled while running
}

// Queue is safe for concurrent use.
type Queue struct {
	exec  Executor
	tries int
	wg    sync.WaitGroup

	mu      sync.Mutex
	work    *sync.Cond
	nextID  int
	builds  map[int]*build
	pending []int
	closed  bool
}

// New starts a queue with the given number of workers; a failing build is
// tried the given number of times.
func New(exec Executor, workers, tries int) *Queue {
	q := &Queue{exec: exec, tries: tries, builds: make(map[int]*build)}
	q.work = sync.NewCond(&q.mu)
	q.wg.Add(workers)
	for range workers {
		go q.worker()
	}
	return q
}

// Add queues a build and returns its id.
func (q *Queue) Add(spec string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.nextID++
	q.builds[q.nextID] = &build{id: q.nextID, spec: spec}
	q.pending = append(q.pending, q.nextID)
	q.work.Signal()
	return q.nextID
}

// Cancel cancels a pending build or interrupts a running one.
func (q *Queue) Cancel(id int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	b, ok := q.builds[id]
	if !ok {
		return ErrUnknown
	}
	switch b.state {
	case Pending:
		b.state = Cancelled
	case Running:
		b.aborted = true
		b.stop()
	}
	return nil
}

// Take returns the state of a build and forgets the build if it has ended.
func (q *Queue) Take(id int) (State, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	b, ok := q.builds[id]
	if !ok {
		return 0, ErrUnknown
	}
	if b.state > Running {
		delete(q.builds, id)
	}
	return b.state, nil
}

// Close lets running builds end and leaves pending ones alone.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.work.Broadcast()
	q.mu.Unlock()
	q.wg.Wait()
}

func (q *Queue) worker() {
	defer q.wg.Done()
	for {
		ctx, stop := context.WithCancel(context.Background())
		b := q.claim(stop)
		if b == nil {
			stop()
			return
		}
		err := q.exec(ctx, b.spec)
		stop()
		q.settle(b, err)
	}
}

// claim waits for a pending build and makes it the caller's; nil when closed.
func (q *Queue) claim(stop context.CancelFunc) *build {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.pending) > 0 && !q.closed {
			b := q.builds[q.pending[0]]
			q.pending = q.pending[1:]
			if b == nil || b.state != Pending {
				continue
			}
			b.state = Running
			b.attempts++
			b.stop = stop
			return b
		}
		if q.closed {
			return nil
		}
		q.work.Wait()
	}
}

// settle ends the caller's claim on b.
func (q *Queue) settle(b *build, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	b.stop = nil
	switch {
	case err == nil:
		b.state = Succeeded
	case b.aborted:
		b.state = Cancelled
	case b.attempts < q.tries:
		b.state = Pending
		q.pending = append(q.pending, b.id)
		q.work.Signal()
	default:
		b.state = Failed
	}
}
