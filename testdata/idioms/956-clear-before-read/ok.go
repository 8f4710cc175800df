// Package meshconfig pushes the routes of a service mesh to its proxies.
package meshconfig

import (
	"context"
	"log"
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// Route sends the calls of a service to backends.
type Route struct {
	Service  string
	Backends []string
	Timeout  time.Duration
}

// Proxies takes the complete configuration, which replaces the one before.
type Proxies interface {
	Push(ctx context.Context, routes map[string]Route) error
}

// table holds the wanted routes. A stored Route is not changed any more.
type table struct {
	mu     sync.Mutex
	routes map[string]Route
}

func (t *table) set(r Route) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.routes[r.Service] = r
}

func (t *table) remove(service string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.routes, service)
}

func (t *table) snapshot() map[string]Route {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.routes)
}

// Publisher keeps the proxies up to date. The API handlers change routes
// while the goroutine started by New pushes them.
type Publisher struct {
	proxies Proxies
	settle  time.Duration
	retry   time.Duration

	routes table
	dirty  atomic.Bool   // the proxies may be behind
	kick   chan struct{} // holds a token if dirty has been raised
	done   chan struct{}
}

// New returns a publisher that runs until ctx ends. Changes that follow each
// other within the settle time are pushed together.
func New(ctx context.Context, proxies Proxies, settle, retry time.Duration) *Publisher {
	p := &Publisher{
		proxies: proxies,
		settle:  settle,
		retry:   retry,
		routes:  table{routes: make(map[string]Route)},
		kick:    make(chan struct{}, 1),
		done:    make(chan struct{}),
	}
	go p.run(ctx)
	return p
}

// SetRoute adds or replaces the route of a service.
func (p *Publisher) SetRoute(r Route) {
	r.Backends = append([]string(nil), r.Backends...)
	p.routes.set(r)
	p.touch()
}

// RemoveRoute removes the route of a service.
func (p *Publisher) RemoveRoute(service string) {
	p.routes.remove(service)
	p.touch()
}

// touch makes the publisher push.
func (p *Publisher) touch() {
	p.dirty.Store(true)
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

func (p *Publisher) run(ctx context.Context) {
	defer close(p.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.kick:
		}
		for p.dirty.Load() {
			if !sleep(ctx, p.settle) {
				return
			}
			if err := p.push(ctx); err != nil {
				log.Printf("meshconfig: push: %v", err)
				if !sleep(ctx, p.retry) {
					return
				}
			}
		}
	}
}

// push sends the wanted routes to the proxies.
func (p *Publisher) push(ctx context.Context) error {
	p.dirty.Store(false)
	if err := p.proxies.Push(ctx, p.routes.snapshot()); err != nil {
		p.dirty.Store(true)
		return err
	}
	return nil
}

// sleep returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// Routes returns the wanted routes, which the proxies may not have yet. The
// backends must not be changed.
func (p *Publisher) Routes() map[string]Route { return p.routes.snapshot() }

// Wait returns when the publisher has ended.
func (p *Publisher) Wait() { <-p.done }
