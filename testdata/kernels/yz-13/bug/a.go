package a

import (
	"context"
	"slices"
	"sync"
	"time"
)

type Endpoint struct {
	Addr  string
	Token string
	Up    time.Time
}

// Broker brings viewers together with the desktops they want to control.
type Broker struct {
	mu      sync.Mutex
	hosts   map[string]Endpoint
	waiters map[string][]chan Endpoint
}

func NewBroker() *Broker {
	return &Broker{
		hosts:   make(map[string]Endpoint),
		waiters: make(map[string][]chan Endpoint),
	}
}

// Announce is called once by a desktop when its agent has connected.
func (b *Broker) Announce(host string, ep Endpoint) {
	b.mu.Lock()
	b.hosts[host] = ep
	ws := b.waiters[host]
	delete(b.waiters, host)
	b.mu.Unlock()
	for _, w := range ws {
		w <- ep
	}
}

func (b *Broker) Gone(host string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.hosts, host)
}

func (b *Broker) Lookup(host string) (Endpoint, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ep, ok := b.hosts[host]
	return ep, ok
}

func (b *Broker) enqueue(host string) chan Endpoint {
	w := make(chan Endpoint, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiters[host] = append(b.waiters[host], w)
	return w
}

func (b *Broker) leave(host string, w chan Endpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ws := slices.DeleteFunc(b.waiters[host], func(x chan Endpoint) bool { return x == w })
	if len(ws) == 0 {
		delete(b.waiters, host)
		return
	}
	b.waiters[host] = ws
}

// Connect waits until the desktop is there.
func (b *Broker) Connect(ctx context.Context, host string) (Endpoint, error) {
	if ep, ok := b.Lookup(host); ok {
		return ep, nil
	}
	w := b.enqueue(host)
	select {
	case ep := <-w:
		return ep, nil
	case <-ctx.Done():
		b.leave(host, w)
		return Endpoint{}, ctx.Err()
	}
}

func (b *Broker) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, ws := range b.waiters {
		n += len(ws)
	}
	return n
}
