package containerd

import (
	"context"
	"sync"
)

// Exchange broadcasts events
type Exchange struct {
	mu          sync.Mutex
	subscribers map[*subscriber]struct{}
}

type subscriber struct {
	ctx context.Context
	ch  chan TaskExit
}

// NewExchange returns a new event Exchange
func NewExchange() *Exchange {
	return &Exchange{subscribers: make(map[*subscriber]struct{})}
}

// Subscribe to events on the exchange. Events are sent through the returned
// channel until the context is done.
func (e *Exchange) Subscribe(ctx context.Context) <-chan TaskExit {
	s := &subscriber{ctx: ctx, ch: make(chan TaskExit, 16)}
	e.mu.Lock()
	e.subscribers[s] = struct{}{}
	e.mu.Unlock()
	context.AfterFunc(ctx, func() {
		e.mu.Lock()
		delete(e.subscribers, s)
		e.mu.Unlock()
	})
	return s.ch
}

// Publish sends the event to all subscribers.
func (e *Exchange) Publish(evt TaskExit) {
	e.mu.Lock()
	subs := make([]*subscriber, 0, len(e.subscribers))
	for s := range e.subscribers {
		subs = append(subs, s)
	}
	e.mu.Unlock()
	for _, s := range subs {
		select {
		case s.ch <- evt:
		case <-s.ctx.Done():
		}
	}
}
