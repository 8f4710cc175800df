package escaperef

import (
	"slices"
	"sync"
)

// A Broker has lists of those who wait for a host.
type Broker struct {
	mu      sync.Mutex
	waiters map[string][]chan string
}

// Announce has removed the list that it goes through.
func (b *Broker) Announce(host, addr string) {
	b.mu.Lock()
	ws := b.waiters[host]
	delete(b.waiters, host)
	b.mu.Unlock()
	for _, w := range ws {
		w <- addr
	}
}

// Remind goes through a list that others change.
func (b *Broker) Remind(host, addr string) {
	b.mu.Lock()
	ws := b.waiters[host]
	b.mu.Unlock()
	for _, w := range ws { // want `escape-ref: b\.waiters\[host\] was taken at line \d+`
		w <- addr
	}
}

// Redirect has removed the list of another host.
func (b *Broker) Redirect(host, from, addr string) {
	b.mu.Lock()
	ws := b.waiters[host]
	delete(b.waiters, from)
	b.mu.Unlock()
	for _, w := range ws { // want `escape-ref: b\.waiters\[host\] was taken at line \d+`
		w <- addr
	}
}

func (b *Broker) Leave(host string, w chan string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiters[host] = slices.DeleteFunc(b.waiters[host], func(x chan string) bool { return x == w })
}
