// Package kennel manages workers that outlive the manager: after a restart it
// attaches to those that are still there.
package kennel

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

// ErrNotFound is returned for workers that are not in the registry.
var ErrNotFound = errors.New("worker not found")

// State is the state of a worker.
type State int

// The states of a worker.
const (
	Created State = iota
	Running
	Exited
)

// Status is what changes of a worker.
type Status struct {
	State    State
	Pid      int
	Started  time.Time
	Finished time.Time
	Code     int
}

// Worker is a registered worker.
type Worker struct {
	ID   string
	Name string

	mu     sync.Mutex
	status Status
}

// Status returns the present status.
func (w *Worker) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status
}

// Update changes the status with f, unless f fails.
func (w *Worker) Update(f func(Status) (Status, error)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := f(w.status)
	if err == nil {
		w.status = s
	}
	return err
}

// Registry holds the workers by id.
type Registry struct {
	mu      sync.RWMutex
	workers map[string]*Worker
}

// Add registers w.
func (r *Registry) Add(w *Worker) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.workers[w.ID]; ok {
		return fmt.Errorf("worker %s exists", w.ID)
	}
	r.workers[w.ID] = w
	return nil
}

// Get returns the worker with the given id.
func (r *Registry) Get(id string) (*Worker, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	w, ok := r.workers[id]
	if !ok {
		return nil, ErrNotFound
	}
	return w, nil
}

// Delete removes a worker.
func (r *Registry) Delete(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.workers, id)
}

// Exit is the end of a process.
type Exit struct {
	Code int
	At   time.Time
}

// Process is a running worker as the system sees it.
type Process interface {
	Pid() int
	// Wait returns a channel that gets the exit, once. It fails with
	// ErrNotFound if the process is gone.
	Wait() (<-chan Exit, error)
	// Reap releases what the system keeps of a process that has ended.
	Reap() error
}

// System finds and starts processes.
type System interface {
	Start(id string) (Process, error)
	// Find fails with ErrNotFound if there is no process for id.
	Find(id string) (Process, error)
}

// Record is what is known of a worker from an earlier run.
type Record struct {
	ID, Name string
	Status   Status
}

// Manager looks after the workers.
type Manager struct {
	sys     System
	workers *Registry
}

// NewManager returns a manager without workers.
func NewManager(sys System) *Manager {
	return &Manager{sys: sys, workers: &Registry{workers: make(map[string]*Worker)}}
}

// Workers returns the registry.
func (m *Manager) Workers() *Registry { return m.workers }

// Recover registers the workers of an earlier run.
func (m *Manager) Recover(records []Record) error {
	var wg sync.WaitGroup
	errs := make([]error, len(records))
	for i, rec := range records {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w, p, exit, err := m.load(rec)
			if err != nil {
				log.Printf("load worker %s: %v", rec.ID, err)
				return
			}
			if err := m.workers.Add(w); err != nil {
				errs[i] = fmt.Errorf("recover: %w", err)
				return
			}
			if exit != nil {
				m.monitor(context.Background(), rec.ID, p, exit)
			}
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

// load brings the status of a recorded worker up to date. It returns the
// process and its exit channel if the worker is running.
func (m *Manager) load(rec Record) (*Worker, Process, <-chan Exit, error) {
	w := &Worker{ID: rec.ID, Name: rec.Name, status: rec.Status}
	if rec.Status.State != Running {
		return w, nil, nil, nil
	}
	p, err := m.sys.Find(rec.ID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, nil, nil, err
	}
	var exit <-chan Exit
	err = w.Update(func(s Status) (Status, error) {
		if p == nil {
			return lost(s), nil
		}
		s.Pid = p.Pid()
		c, err := p.Wait()
		if errors.Is(err, ErrNotFound) {
			return lost(s), nil
		}
		if err != nil {
			return s, err
		}
		exit = c
		return s, nil
	})
	return w, p, exit, err
}

// lost is the status of a worker that ended while nobody watched.
func lost(s Status) Status {
	s.State = Exited
	s.Finished = time.Now()
	s.Code = 255
	return s
}

// monitor waits for the exit in the background.
func (m *Manager) monitor(ctx context.Context, id string, p Process, exit <-chan Exit) {
	go func() {
		select {
		case <-ctx.Done():
		case e := <-exit:
			if err := m.handleExit(id, p, e); err != nil {
				log.Printf("exit of worker %s: %v", id, err)
			}
		}
	}()
}

func (m *Manager) handleExit(id string, p Process, e Exit) error {
	w, err := m.workers.Get(id)
	if errors.Is(err, ErrNotFound) {
		return nil // deleted in the meantime
	}
	if err != nil {
		return err
	}
	if err := p.Reap(); err != nil {
		return err
	}
	return w.Update(func(s Status) (Status, error) {
		if s.State != Exited {
			s.State, s.Code, s.Finished = Exited, e.Code, e.At
		}
		return s, nil
	})
}

// Create registers a new worker.
func (m *Manager) Create(id, name string) (*Worker, error) {
	w := &Worker{ID: id, Name: name}
	return w, m.workers.Add(w)
}

// Start starts a created worker.
func (m *Manager) Start(id string) error {
	w, err := m.workers.Get(id)
	if err != nil {
		return err
	}
	return w.Update(func(s Status) (Status, error) {
		if s.State != Created {
			return s, fmt.Errorf("worker %s was started before", id)
		}
		p, err := m.sys.Start(id)
		if err != nil {
			return s, err
		}
		exit, err := p.Wait()
		if err != nil {
			return s, err
		}
		s.State, s.Pid, s.Started = Running, p.Pid(), time.Now()
		m.monitor(context.Background(), id, p, exit)
		return s, nil
	})
}
