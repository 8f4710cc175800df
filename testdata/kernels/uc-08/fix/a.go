package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	// ErrStopped is returned by a pool that takes no more jobs.
	ErrStopped = errors.New("workers: stopped")
	// ErrBusy is returned when the queue is full.
	ErrBusy = errors.New("workers: queue full")
)

// Job is a unit of work.
type Job func()

// Workers runs jobs on a fixed number of goroutines.
type Workers struct {
	mu      sync.RWMutex
	stopped bool
	jobs    chan Job

	done chan struct{}
	ran  atomic.Int64
}

// Start makes a pool of n goroutines with a queue of the given depth.
func Start(n, depth int) *Workers {
	w := &Workers{
		jobs: make(chan Job, depth),
		done: make(chan struct{}),
	}
	var wg sync.WaitGroup
	for range n {
		wg.Go(w.loop)
	}
	go func() {
		wg.Wait()
		close(w.done)
	}()
	return w
}

// loop runs jobs until the queue is closed and empty.
func (w *Workers) loop() {
	for job := range w.jobs {
		job()
		w.ran.Add(1)
	}
}

// Submit queues a job without waiting. A job that was taken will run, also
// when the pool is stopped right afterwards.
func (w *Workers) Submit(job Job) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.stopped {
		return ErrStopped
	}
	select {
	case w.jobs <- job:
		return nil
	default:
		return ErrBusy
	}
}

// Check is the health probe: nil while the pool takes jobs.
func (w *Workers) Check() error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.stopped {
		return ErrStopped
	}
	return nil
}

// Shutdown takes no more jobs and waits for those in the queue. It is called
// by the signal handler and by the owner's deferred cleanup.
func (w *Workers) Shutdown(ctx context.Context) error {
	w.mu.Lock()
	if !w.stopped {
		w.stopped = true
		close(w.jobs)
	}
	w.mu.Unlock()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Queued says how many jobs wait for a worker.
func (w *Workers) Queued() int { return len(w.jobs) }

// Ran counts the jobs that were run.
func (w *Workers) Ran() int64 { return w.ran.Load() }
