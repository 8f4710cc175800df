// Package broker is an in-memory task broker with leases.
package broker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

var (
	// ErrEmpty is returned when no task is ready.
	ErrEmpty = errors.New("broker: no task ready")
	// ErrNotOwner is returned to workers that do not hold the lease.
	ErrNotOwner = errors.New("broker: lease not held")
)

// Task is handed to a worker.
type Task struct {
	ID      uint64
	Payload []byte
	Attempt int
}

type entry struct {
	task     Task
	owner    string
	deadline time.Time
}

// Broker hands every task to one worker at a time.
type Broker struct {
	ttl time.Duration

	mu     sync.Mutex
	seq    uint64
	ready  []*entry
	leased map[uint64]*entry
}

// New returns a broker whose leases last ttl unless they are extended.
func New(ttl time.Duration) *Broker {
	return &Broker{ttl: ttl, leased: make(map[uint64]*entry)}
}

// Submit queues a task and returns its id.
func (b *Broker) Submit(payload []byte) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	b.ready = append(b.ready, &entry{task: Task{ID: b.seq, Payload: payload}})
	return b.seq
}

// Lease gives the oldest ready task to worker.
func (b *Broker) Lease(worker string) (Task, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ready) == 0 {
		return Task{}, ErrEmpty
	}
	e := b.ready[0]
	b.ready = b.ready[1:]
	e.task.Attempt++
	e.owner = worker
	e.deadline = time.Now().Add(b.ttl)
	b.leased[e.task.ID] = e
	return e.task, nil
}

// Extend prolongs the lease of a worker that is still busy.
func (b *Broker) Extend(id uint64, worker string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.leased[id]
	if !ok || e.owner != worker {
		return ErrNotOwner
	}
	e.deadline = time.Now().Add(b.ttl)
	return nil
}

// Ack finishes a task.
func (b *Broker) Ack(id uint64, worker string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.leased[id]
	if !ok || e.owner != worker {
		return ErrNotOwner
	}
	delete(b.leased, id)
	return nil
}

// Reap returns tasks with lapsed leases to the queue every interval.
func (b *Broker) Reap(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			for _, id := range b.lapsed(now) {
				if b.requeue(id, now) {
					slog.Info("lease lapsed", "task", id)
				}
			}
		}
	}
}

// lapsed lists the tasks whose lease ended before now.
func (b *Broker) lapsed(now time.Time) []uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	var ids []uint64
	for id, e := range b.leased {
		if e.deadline.Before(now) {
			ids = append(ids, id)
		}
	}
	return ids
}

// requeue makes a leased task ready again.
func (b *Broker) requeue(id uint64, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.leased[id]
	if !ok {
		return false
	}
	slog.Debug("requeue", "task", id, "owner", e.owner, "late", now.Sub(e.deadline))
	delete(b.leased, id)
	e.owner = ""
	b.ready = append(b.ready, e)
	return true
}
