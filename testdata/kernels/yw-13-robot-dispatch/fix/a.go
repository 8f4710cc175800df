// Package a dispatches transport jobs to the robots of a warehouse.
package a

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// ErrBusy is returned when no robot is free.
var ErrBusy = errors.New("fleet: no robot free")

// Job is a transport from one shelf to another.
type Job struct {
	ID       string
	From, To string
}

// Driver moves a robot.
type Driver interface {
	Carry(ctx context.Context, robot string, j Job) error
}

// Robot executes one job at a time.
type Robot struct {
	Name string
	cmds chan Job

	mu  sync.Mutex
	job *Job
}

// Job returns the job the robot is working on, or nil.
func (r *Robot) Job() *Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.job
}

// setJob changes the job and returns the one before.
func (r *Robot) setJob(j *Job) *Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	prev := r.job
	r.job = j
	return prev
}

// Fleet is a set of robots.
type Fleet struct {
	drv Driver
	log *slog.Logger

	mu   sync.Mutex
	free []*Robot
	all  map[string]*Robot
}

// NewFleet starts one goroutine per robot; they end with ctx.
func NewFleet(ctx context.Context, drv Driver, log *slog.Logger, names ...string) *Fleet {
	f := &Fleet{drv: drv, log: log, all: make(map[string]*Robot, len(names))}
	for _, n := range names {
		r := &Robot{Name: n, cmds: make(chan Job, 1)}
		f.all[n] = r
		f.free = append(f.free, r)
	}
	for _, r := range f.all {
		go f.serve(ctx, r)
	}
	return f
}

// Dispatch gives a job to the robot which has rested longest.
func (f *Fleet) Dispatch(j Job) (string, error) {
	f.mu.Lock()
	if len(f.free) == 0 {
		f.mu.Unlock()
		return "", ErrBusy
	}
	r := f.free[0]
	f.free = f.free[1:]
	f.mu.Unlock()

	r.setJob(&j)
	r.cmds <- j
	return r.Name, nil
}

func (f *Fleet) serve(ctx context.Context, r *Robot) {
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-r.cmds:
			if err := f.drv.Carry(ctx, r.Name, j); err != nil {
				f.log.Error("carry", "robot", r.Name, "job", j.ID, "err", err)
			}
			f.complete(r)
		}
	}
}

// complete makes the robot available for the next job.
func (f *Fleet) complete(r *Robot) {
	j := r.setJob(nil)
	f.mu.Lock()
	f.free = append(f.free, r)
	f.mu.Unlock()
	if j != nil {
		f.log.Info("job done", "robot", r.Name, "job", j.ID)
	}
}

// Where tells which job a robot is carrying out.
func (f *Fleet) Where(robot string) (string, error) {
	f.mu.Lock()
	r, ok := f.all[robot]
	f.mu.Unlock()
	if !ok {
		return "", fmt.Errorf("fleet: no robot %q", robot)
	}
	if j := r.Job(); j != nil {
		return j.ID, nil
	}
	return "", nil
}
