// Package agent keeps a field device in step with its management hub.
package agent

import (
	"context"
	"log"
	"maps"
	"sync"
	"time"
)

// Job is a command that the hub wants to be run once.
type Job struct {
	Name string
	Args []string
}

// Changes lead from one revision of the device's state to a later one.
type Changes struct {
	Revision uint64
	Set      map[string]string
	Unset    []string
	Jobs     []Job
}

// Hub answers with everything that has changed since a revision.
type Hub interface {
	ChangesSince(ctx context.Context, rev uint64) (Changes, error)
}

// Agent pulls changes on a timer and whenever the hub rings.
type Agent struct {
	hub  Hub
	exec func(context.Context, Job) error
	wake chan struct{}

	mu    sync.Mutex
	rev   uint64
	conf  map[string]string
	queue []Job
}

// New returns an agent that runs jobs with exec.
func New(hub Hub, exec func(context.Context, Job) error) *Agent {
	return &Agent{hub: hub, exec: exec, wake: make(chan struct{}, 1), conf: make(map[string]string)}
}

// Run polls the hub and runs jobs until the context ends.
func (a *Agent) Run(ctx context.Context, every time.Duration) {
	var wg sync.WaitGroup
	wg.Go(func() { a.runJobs(ctx) })
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := a.pull(ctx); err != nil {
			log.Printf("agent: pull: %v", err)
		}
		select {
		case <-ctx.Done():
			wg.Wait()
			return
		case <-tick.C:
		}
	}
}

// Ring is called by the push channel when the hub has something new.
func (a *Agent) Ring(ctx context.Context) {
	go func() {
		if err := a.pull(ctx); err != nil {
			log.Printf("agent: pull: %v", err)
		}
	}()
}

// Revision returns the revision that the device has reached.
func (a *Agent) Revision() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.rev
}

// Config returns a copy of the configuration.
func (a *Agent) Config() map[string]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.conf)
}

// pull fetches and applies what is new.
func (a *Agent) pull(ctx context.Context) error {
	since := a.Revision()
	ch, err := a.hub.ChangesSince(ctx, since)
	if err != nil {
		return err
	}
	if ch.Revision <= since {
		return nil
	}
	a.apply(ch)
	return nil
}

// apply takes over a set of changes.
func (a *Agent) apply(ch Changes) {
	a.mu.Lock()
	maps.Copy(a.conf, ch.Set)
	for _, k := range ch.Unset {
		delete(a.conf, k)
	}
	a.queue = append(a.queue, ch.Jobs...)
	a.rev = ch.Revision
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func (a *Agent) nextJob() (Job, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) == 0 {
		return Job{}, false
	}
	j := a.queue[0]
	a.queue = a.queue[1:]
	return j, true
}

func (a *Agent) runJobs(ctx context.Context) {
	for ctx.Err() == nil {
		j, ok := a.nextJob()
		if !ok {
			select {
			case <-ctx.Done():
			case <-a.wake:
			}
			continue
		}
		if err := a.exec(ctx, j); err != nil {
			log.Printf("agent: job %s: %v", j.Name, err)
		}
	}
}
