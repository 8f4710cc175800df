// Correct: work on a job goes on between two critical sections, and finish writes
// values that were computed from a copy made in the first one. But claim moves
// the job to running under the lock, and whoever claimed it is the only one to
// touch attempts and state of a running job: claim and Remove pass over it, and
// Cancel leaves a mark (canceled) that finish reads under the lock.
package claimedjob

import (
	"context"
	"errors"
	"sync"
	"time"
)

type State int

const (
	Pending State = iota
	Running
	Succeeded
	Failed
	Canceled
)

var (
	ErrUnknown = errors.New("unknown job")
	ErrExists  = errors.New("job exists")
	ErrRunning = errors.New("job is running")
)

type job struct {
	id       string
	payload  string
	state    State
	attempts int
	canceled bool
	notUntil time.Time
}

// Board holds jobs for a group of workers.
type Board struct {
	maxAttempts int

	mu    sync.Mutex
	jobs  map[string]*job
	order []string
}

func NewBoard(maxAttempts int) *Board {
	return &Board{maxAttempts: maxAttempts, jobs: make(map[string]*job)}
}

func (b *Board) Submit(id, payload string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.jobs[id]; ok {
		return ErrExists
	}
	b.jobs[id] = &job{id: id, payload: payload}
	b.order = append(b.order, id)
	return nil
}

// Cancel keeps a pending job from being run, and a running one from being
// run again.
func (b *Board) Cancel(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	j, ok := b.jobs[id]
	if !ok {
		return ErrUnknown
	}
	j.canceled = true
	if j.state == Pending {
		j.state = Canceled
	}
	return nil
}

// Remove forgets a job that is not running.
func (b *Board) Remove(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	j, ok := b.jobs[id]
	if !ok {
		return ErrUnknown
	}
	if j.state == Running {
		return ErrRunning
	}
	delete(b.jobs, id)
	for i, o := range b.order {
		if o == id {
			b.order = append(b.order[:i], b.order[i+1:]...)
			break
		}
	}
	return nil
}

func (b *Board) claim(now time.Time) (job, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range b.order {
		j := b.jobs[id]
		if j.state != Pending || now.Before(j.notUntil) {
			continue
		}
		j.state = Running
		return *j, true
	}
	return job{}, false
}

func (b *Board) finish(id string, st State, attempts int, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	j := b.jobs[id]
	j.attempts = attempts
	j.notUntil = time.Now().Add(wait)
	if st == Pending && j.canceled {
		st = Canceled
	}
	j.state = st
}

// RunOne runs the next job that is due and tells whether there was one.
func (b *Board) RunOne(ctx context.Context, run func(context.Context, string) error) bool {
	j, ok := b.claim(time.Now())
	if !ok {
		return false
	}
	attempts := j.attempts + 1
	st, wait := Succeeded, time.Duration(0)
	if err := run(ctx, j.payload); err != nil {
		st, wait = Pending, time.Duration(attempts)*time.Second
		if attempts >= b.maxAttempts {
			st = Failed
		}
	}
	b.finish(j.id, st, attempts, wait)
	return true
}
