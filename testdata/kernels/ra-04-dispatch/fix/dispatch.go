// Package dispatch runs jobs from a store on a group of workers.
package dispatch

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"
)

const maxAttempts = 5

// Handler executes jobs of one kind.
type Handler func(ctx context.Context, payload []byte) error

// Dispatcher connects a store with handlers.
type Dispatcher struct {
	store    Store
	handlers map[string]Handler
	poll     time.Duration
}

// New returns a dispatcher; handlers must not change afterwards.
func New(store Store, handlers map[string]Handler, poll time.Duration) *Dispatcher {
	return &Dispatcher{store: store, handlers: handlers, poll: poll}
}

// Run starts n workers and returns when ctx has ended and they are idle.
func (d *Dispatcher) Run(ctx context.Context, n int) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { d.work(ctx, fmt.Sprintf("worker-%d", i)) })
	}
	wg.Wait()
}

func (d *Dispatcher) work(ctx context.Context, name string) {
	for ctx.Err() == nil {
		job, ok := d.claim(name)
		if !ok {
			select {
			case <-ctx.Done():
			case <-time.After(d.poll):
			}
			continue
		}
		d.execute(ctx, job)
	}
}

func (d *Dispatcher) claim(worker string) (Job, bool) {
	return d.store.ClaimDue(time.Now(), worker)
}

func (d *Dispatcher) execute(ctx context.Context, job Job) {
	h, ok := d.handlers[job.Kind]
	if !ok {
		log.Printf("dispatch: job %d: no handler for %q", job.ID, job.Kind)
		d.store.Finish(job.ID, Failed)
		return
	}
	err := h(ctx, job.Payload)
	switch {
	case err == nil:
		d.store.Finish(job.ID, Done)
	case job.Attempts+1 >= maxAttempts:
		log.Printf("dispatch: job %d gave up: %v", job.ID, err)
		d.store.Finish(job.ID, Failed)
	default:
		backoff := time.Second << job.Attempts
		d.store.Retry(job.ID, time.Now().Add(backoff))
	}
}
