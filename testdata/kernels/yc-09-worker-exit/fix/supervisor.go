// Package supervise runs the collector plugins of an agent as child processes
// and restarts those that end.
package supervise

import (
	"context"
	"errors"
	"log"
	"time"
)

// ErrUnknown is returned for a worker that is not running.
var ErrUnknown = errors.New("supervise: unknown worker")

// Spec says how a plugin is started.
type Spec struct {
	Name string
	Argv []string
}

// Exit is the end of a process.
type Exit struct {
	ID   uint64
	Code int
}

// Launcher creates processes. Process ids are never reused. Each process that
// ends is reported once on the channel returned by Exits; the channel also
// carries the ends of processes that other parts of the agent started. Launch
// returns without waiting for Exits to be read, and signalling an ended process
// is not an error.
type Launcher interface {
	Launch(spec Spec) (id uint64, err error)
	Signal(id uint64, name string) error
	Exits() <-chan Exit
}

// Worker is a running or ended plugin process.
type Worker struct {
	ID   uint64
	Spec Spec

	done chan struct{}
	code int // valid once done is closed
}

// Wait blocks until the worker has ended and returns its exit code.
func (w *Worker) Wait(ctx context.Context) (int, error) {
	select {
	case <-w.done:
		return w.code, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Supervisor owns the workers. All methods are safe for concurrent use.
type Supervisor struct {
	launcher Launcher
	lock     chan struct{} // holds a token while the table is free
	workers  map[uint64]*Worker
}

// New returns a supervisor and starts the goroutine that collects exits.
func New(l Launcher) *Supervisor {
	s := &Supervisor{
		launcher: l,
		lock:     make(chan struct{}, 1),
		workers:  make(map[uint64]*Worker),
	}
	s.lock <- struct{}{}
	go s.reap(l.Exits())
	return s
}

func (s *Supervisor) acquire() { <-s.lock }
func (s *Supervisor) release() { s.lock <- struct{}{} }

// Start launches a plugin and adds it to the table.
func (s *Supervisor) Start(spec Spec) (*Worker, error) {
	s.acquire()
	defer s.release()
	id, err := s.launcher.Launch(spec)
	if err != nil {
		return nil, err
	}
	w := &Worker{ID: id, Spec: spec, done: make(chan struct{})}
	s.workers[id] = w
	return w, nil
}

// Stop asks a worker to end.
func (s *Supervisor) Stop(id uint64) error {
	s.acquire()
	defer s.release()
	if _, ok := s.workers[id]; !ok {
		return ErrUnknown
	}
	return s.launcher.Signal(id, "TERM")
}

// Running returns the specs of the workers in the table.
func (s *Supervisor) Running() []Spec {
	s.acquire()
	defer s.release()
	specs := make([]Spec, 0, len(s.workers))
	for _, w := range s.workers {
		specs = append(specs, w.Spec)
	}
	return specs
}

// Keep runs a plugin until the context ends and restarts it whenever it exits.
func (s *Supervisor) Keep(ctx context.Context, spec Spec, pause time.Duration) error {
	for {
		w, err := s.Start(spec)
		if err != nil {
			log.Printf("supervise: %s: %v", spec.Name, err)
		} else {
			code, err := w.Wait(ctx)
			if err != nil {
				if stopErr := s.Stop(w.ID); !errors.Is(stopErr, ErrUnknown) {
					err = errors.Join(err, stopErr)
				}
				return err
			}
			log.Printf("supervise: %s exited with %d", spec.Name, code)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// reap hands the exits to their workers.
func (s *Supervisor) reap(exits <-chan Exit) {
	for e := range exits {
		if w := s.take(e.ID); w != nil {
			w.code = e.Code
			close(w.done)
		}
	}
}

// take removes a worker from the table. It returns nil for a process that is
// not a worker.
func (s *Supervisor) take(id uint64) *Worker {
	s.acquire()
	defer s.release()
	w := s.workers[id]
	delete(s.workers, id)
	return w
}
