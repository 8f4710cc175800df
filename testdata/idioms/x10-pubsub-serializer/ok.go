// Package ok publishes messages to subscribers.
package ok

import (
	"context"
	"sync"
)

// Subscriber is told about messages.
type Subscriber interface{ OnMessage(msg any) }

// serializer runs callbacks one at a time, in the order they were queued.
type serializer struct {
	done chan struct{}

	mu     sync.Mutex
	queue  []func(context.Context)
	wake   chan struct{}
	closed bool
}

func newSerializer(ctx context.Context) *serializer {
	cs := &serializer{done: make(chan struct{}), wake: make(chan struct{}, 1)}
	go cs.run(ctx)
	return cs
}

// TrySchedule queues f.
func (cs *serializer) TrySchedule(f func(context.Context)) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.closed {
		return false
	}
	cs.queue = append(cs.queue, f)
	select {
	case cs.wake <- struct{}{}:
	default:
	}
	return true
}

func (cs *serializer) run(ctx context.Context) {
	defer close(cs.done)
	for {
		select {
		case <-ctx.Done():
			cs.mu.Lock()
			cs.closed = true
			q := cs.queue
			cs.queue = nil
			cs.mu.Unlock()
			for _, f := range q {
				f(ctx)
			}
			return
		case <-cs.wake:
		}
		cs.mu.Lock()
		q := cs.queue
		cs.queue = nil
		cs.mu.Unlock()
		for _, f := range q {
			f(ctx)
		}
	}
}

// PubSub is a simple one-to-many publish-subscribe system.
type PubSub struct {
	cs *serializer

	mu          sync.Mutex
	msg         any
	subscribers map[Subscriber]bool
}

// NewPubSub returns a PubSub that works until ctx ends.
func NewPubSub(ctx context.Context) *PubSub {
	return &PubSub{cs: newSerializer(ctx), subscribers: map[Subscriber]bool{}}
}

// Subscribe registers the provided Subscriber to the PubSub.
func (ps *PubSub) Subscribe(sub Subscriber) (cancel func()) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.subscribers[sub] = true
	if ps.msg != nil {
		msg := ps.msg
		ps.cs.TrySchedule(func(context.Context) {
			ps.mu.Lock()
			defer ps.mu.Unlock()
			if !ps.subscribers[sub] {
				return
			}
			sub.OnMessage(msg)
		})
	}
	return func() {
		ps.mu.Lock()
		defer ps.mu.Unlock()
		delete(ps.subscribers, sub)
	}
}

// Publish publishes the provided message to the PubSub.
func (ps *PubSub) Publish(msg any) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.msg = msg
	for sub := range ps.subscribers {
		ps.cs.TrySchedule(func(context.Context) {
			ps.mu.Lock()
			defer ps.mu.Unlock()
			if !ps.subscribers[sub] {
				return
			}
			sub.OnMessage(msg)
		})
	}
}
