// Package ok runs jobs one after another.
package ok

import (
	"context"
	"errors"
	"sync"
)

// ErrStopped is returned after Stop.
var ErrStopped = errors.New("schedule: already stopped")

// Job is one piece of work.
type Job func(context.Context)

type fifo struct {
	mu sync.Mutex

	resume    chan struct{}
	scheduled int
	finished  int
	pendings  []Job

	ctx    context.Context
	cancel context.CancelFunc

	finishCond *sync.Cond
	donec      chan struct{}
}

func newFIFO() *fifo {
	f := &fifo{resume: make(chan struct{}, 1), donec: make(chan struct{})}
	f.finishCond = sync.NewCond(&f.mu)
	f.ctx, f.cancel = context.WithCancel(context.Background())
	go f.run()
	return f
}

// Schedule schedules a job that will be ran in FIFO order sequentially.
func (f *fifo) Schedule(j Job) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cancel == nil {
		return ErrStopped
	}
	if len(f.pendings) == 0 {
		select {
		case f.resume <- struct{}{}:
		default:
		}
	}
	f.pendings = append(f.pendings, j)
	f.scheduled++
	return nil
}

// WaitFinish waits until at least n jobs are finished and all pending jobs are finished.
func (f *fifo) WaitFinish(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.finished < n || len(f.pendings) != 0 {
		f.finishCond.Wait()
	}
}

// Stop stops the scheduler and cancels all pending jobs.
func (f *fifo) Stop() {
	f.mu.Lock()
	f.cancel()
	f.cancel = nil
	f.mu.Unlock()
	<-f.donec
}

func (f *fifo) run() {
	defer close(f.donec)
	for {
		var todo Job
		f.mu.Lock()
		if len(f.pendings) != 0 {
			todo = f.pendings[0]
		}
		f.mu.Unlock()
		if todo == nil {
			select {
			case <-f.resume:
			case <-f.ctx.Done():
				f.mu.Lock()
				pendings := f.pendings
				f.pendings = nil
				f.mu.Unlock()
				// clean up pending jobs
				for _, todo := range pendings {
					f.execute(todo, true)
				}
				return
			}
		} else {
			f.execute(todo, false)
		}
	}
}

func (f *fifo) execute(todo Job, cleanup bool) {
	todo(f.ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !cleanup {
		f.pendings = f.pendings[1:]
	}
	f.finished++
	f.finishCond.Broadcast()
}
