package group

import (
	"context"
	"errors"
	"sync"
)

var ErrStopped = errors.New("group: stopped")

type Task func(context.Context) error

type Group struct {
	mu      sync.Mutex
	done    chan struct{}
	cancels map[int]context.CancelFunc
	next    int
	first   error
}

func New() *Group {
	return &Group{done: make(chan struct{}), cancels: map[int]context.CancelFunc{}}
}

func (g *Group) Go(t Task) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.done:
		return ErrStopped
	default:
	}
	ctx, cancel := context.WithCancel(context.Background())
	g.next++
	id := g.next
	g.cancels[id] = cancel
	go func() {
		g.exit(id, t(ctx))
		cancel()
	}()
	return nil
}

func (g *Group) exit(id int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.cancels, id)
	if err != nil && g.first == nil && !errors.Is(err, context.Canceled) {
		g.first = err
	}
}

func (g *Group) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.done:
		return
	default:
		close(g.done)
	}
	for id, cancel := range g.cancels {
		cancel()
		delete(g.cancels, id)
	}
}

func (g *Group) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.first
}
