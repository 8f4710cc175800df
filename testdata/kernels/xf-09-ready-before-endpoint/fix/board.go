package rollout

import (
	"context"
	"errors"
	"sync"
)

// Errors returned by Resolve.
var (
	ErrUnknown = errors.New("rollout: unknown instance")
	ErrFailed  = errors.New("rollout: instance failed")
)

// Phase is where an instance is in its life.
type Phase int

// Phases.
const (
	Pending Phase = iota
	Ready
	Failed
)

// Endpoint is where an instance listens.
type Endpoint struct {
	Host string
	Port int
}

type instance struct {
	node     string
	attempt  int
	phase    Phase
	endpoint Endpoint
}

// board holds what is known of the instances. changed is signalled on every
// update.
type board struct {
	mu        sync.Mutex
	changed   *sync.Cond
	attempts  int // made so far, for all instances
	instances map[string]*instance
}

func newBoard() *board {
	b := &board{instances: make(map[string]*instance)}
	b.changed = sync.NewCond(&b.mu)
	return b
}

// place assigns an instance to a node and returns the number of the attempt.
// The instance is pending until the agent of the node reports.
func (b *board) place(id, node string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	in, ok := b.instances[id]
	if !ok {
		in = &instance{}
		b.instances[id] = in
	}
	in.node = node
	b.attempts++
	in.attempt = b.attempts
	in.phase = Pending
	in.endpoint = Endpoint{}
	b.changed.Broadcast()
	return in.attempt
}

// update applies f to an instance, unless it has been placed anew since the
// attempt.
func (b *board) update(id string, attempt int, f func(*instance)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	in, ok := b.instances[id]
	if !ok || in.attempt != attempt {
		return false
	}
	f(in)
	b.changed.Broadcast()
	return true
}

func (b *board) remove(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.instances, id)
	b.changed.Broadcast()
}

// await blocks until the instance has left the pending phase.
func (b *board) await(ctx context.Context, id string) (Endpoint, error) {
	stop := context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.changed.Broadcast()
	})
	defer stop()

	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		in, ok := b.instances[id]
		switch {
		case !ok:
			return Endpoint{}, ErrUnknown
		case in.phase == Ready:
			return in.endpoint, nil
		case in.phase == Failed:
			return Endpoint{}, ErrFailed
		case ctx.Err() != nil:
			return Endpoint{}, ctx.Err()
		}
		b.changed.Wait()
	}
}

// ready returns the endpoints of the ready instances.
func (b *board) ready() map[string]Endpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	eps := make(map[string]Endpoint)
	for id, in := range b.instances {
		if in.phase == Ready {
			eps[id] = in.endpoint
		}
	}
	return eps
}
