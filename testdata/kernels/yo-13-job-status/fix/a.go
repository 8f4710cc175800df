// Package jobs runs submitted work in the background and reports on it.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

type State int

const (
	Queued State = iota
	Running
	Done
	Failed
)

type Work func(ctx context.Context) error

type record struct {
	state State
	err   error
}

type Runner struct {
	ctx    context.Context
	cancel context.CancelFunc
	slots  chan struct{}
	wg     sync.WaitGroup

	mu     sync.Mutex
	next   int
	closed bool
	jobs   map[string]*record
}

func NewRunner(parallel int) *Runner {
	ctx, cancel := context.WithCancel(context.Background())
	return &Runner{
		ctx:    ctx,
		cancel: cancel,
		slots:  make(chan struct{}, parallel),
		jobs:   make(map[string]*record),
	}
}

// register makes the record of a new job.
func (r *Runner) register() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return "", errors.New("jobs: runner closed")
	}
	r.next++
	id := fmt.Sprintf("job-%d", r.next)
	r.jobs[id] = &record{state: Queued}
	r.wg.Add(1)
	return id, nil
}

func (r *Runner) mark(id string, s State, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j, ok := r.jobs[id]; ok {
		j.state, j.err = s, err
	}
}

func (r *Runner) launch(id string, w Work) {
	go func() {
		defer r.wg.Done()
		defer func() { <-r.slots }()
		if err := w(r.ctx); err != nil {
			r.mark(id, Failed, err)
			return
		}
		r.mark(id, Done, nil)
	}()
}

// Submit waits for a free slot and starts w.
func (r *Runner) Submit(w Work) (string, error) {
	id, err := r.register()
	if err != nil {
		return "", err
	}
	r.slots <- struct{}{}
	r.mark(id, Running, nil)
	r.launch(id, w)
	return id, nil
}

func (r *Runner) Status(id string) (State, error, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j, ok := r.jobs[id]
	if !ok {
		return 0, nil, false
	}
	return j.state, j.err, true
}

// Forget drops the record of a finished job.
func (r *Runner) Forget(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	j, ok := r.jobs[id]
	if !ok || j.state < Done {
		return false
	}
	delete(r.jobs, id)
	return true
}

func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.wg.Wait()
}
