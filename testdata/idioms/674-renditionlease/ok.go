// Package rendition leases the renditions of videos to remote encoders.
package rendition

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	ErrNone  = errors.New("rendition: nothing to do")
	ErrStale = errors.New("rendition: lease lost")
)

// Task is one rendition of one video.
type Task struct {
	Video, Profile string
}

// Lease is the right to encode a task until the deadline.
type Lease struct {
	Task     Task
	Token    uint64
	Deadline time.Time
}

type item struct {
	task     Task
	token    uint64 // of the current lease, 0 while queued
	deadline time.Time
	output   string
}

// Board holds the tasks.
type Board struct {
	ttl time.Duration

	mu     sync.Mutex
	queue  *list.List // of *item
	leased map[uint64]*item
	done   map[Task]string
	next   uint64
}

// NewBoard returns a board whose leases last for ttl.
func NewBoard(ttl time.Duration) *Board {
	return &Board{ttl: ttl, queue: list.New(), leased: make(map[uint64]*item), done: make(map[Task]string)}
}

// Add queues a task.
func (b *Board) Add(t Task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue.PushBack(&item{task: t})
}

// Take leases the oldest task.
func (b *Board) Take() (Lease, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.queue.Front()
	if e == nil {
		return Lease{}, ErrNone
	}
	it := b.queue.Remove(e).(*item)
	b.next++
	it.token = b.next
	it.deadline = time.Now().Add(b.ttl)
	b.leased[it.token] = it
	return Lease{Task: it.task, Token: it.token, Deadline: it.deadline}, nil
}

func (b *Board) heldLocked(l Lease) (*item, error) {
	it, ok := b.leased[l.Token]
	if !ok || it.task != l.Task {
		return nil, fmt.Errorf("%w: %s/%s", ErrStale, l.Task.Video, l.Task.Profile)
	}
	return it, nil
}

// Extend prolongs a lease that is still held.
func (b *Board) Extend(l Lease) (Lease, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	it, err := b.heldLocked(l)
	if err != nil {
		return l, err
	}
	it.deadline = time.Now().Add(b.ttl)
	l.Deadline = it.deadline
	return l, nil
}

// Finish stores where the rendition is.
func (b *Board) Finish(l Lease, output string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	it, err := b.heldLocked(l)
	if err != nil {
		return err
	}
	delete(b.leased, l.Token)
	it.token, it.output = 0, output
	b.done[it.task] = output
	return nil
}

// Reap queues the tasks of expired leases again.
func (b *Board) Reap(now time.Time) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for token, it := range b.leased {
		if now.After(it.deadline) {
			delete(b.leased, token)
			it.token = 0
			b.queue.PushFront(it)
			n++
		}
	}
	return n
}

// Encode is what an encoder does with a lease.
type Encode func(ctx context.Context, t Task) (output string, err error)

// Work takes one task, encodes it and reports; the output of a lost lease is
// left for the bucket's lifecycle rule.
func Work(ctx context.Context, b *Board, enc Encode) error {
	l, err := b.Take()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	beat := make(chan struct{})
	go func() {
		defer close(beat)
		t := time.NewTicker(b.ttl / 3)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				if _, err := b.Extend(l); err != nil {
					cancel(err)
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	out, err := enc(ctx, l.Task)
	cancel(nil)
	<-beat
	if err != nil {
		return fmt.Errorf("encode %s/%s: %w", l.Task.Video, l.Task.Profile, err)
	}
	return b.Finish(l, out)
}
