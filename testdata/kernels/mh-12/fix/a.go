// Package a balances requests over the endpoints of a service. Requests read
// the table without a lock; it is replaced as a whole.
package a

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNoEndpoint is returned when no endpoint is usable.
var ErrNoEndpoint = errors.New("no healthy endpoint")

// Endpoint is one backend of the service.
type Endpoint struct {
	Addr   string
	Weight int
	Down   bool
}

// table is immutable once it has been published.
type table struct {
	endpoints []Endpoint
	ring      []int // indices of usable endpoints, as often as their weight
}

func newTable(eps []Endpoint) *table {
	t := &table{endpoints: eps}
	for i, ep := range eps {
		if ep.Down {
			continue
		}
		for range max(ep.Weight, 1) {
			t.ring = append(t.ring, i)
		}
	}
	return t
}

// index returns the place of an address or -1.
func (t *table) index(addr string) int {
	return slices.IndexFunc(t.endpoints, func(e Endpoint) bool { return e.Addr == addr })
}

// Prober checks the health of an endpoint.
type Prober func(addr string) error

// Balancer is the table of one service.
type Balancer struct {
	probe Prober
	next  atomic.Uint64

	mu  sync.Mutex // held by those who replace the table
	cur atomic.Pointer[table]
}

// New returns a balancer without endpoints.
func New(probe Prober) *Balancer {
	b := &Balancer{probe: probe}
	b.cur.Store(newTable(nil))
	return b
}

// Pick returns the address for the next request.
func (b *Balancer) Pick() (string, error) {
	t := b.cur.Load()
	if len(t.ring) == 0 {
		return "", ErrNoEndpoint
	}
	n := b.next.Add(1)
	return t.endpoints[t.ring[n%uint64(len(t.ring))]].Addr, nil
}

// Upsert adds an endpoint or changes the weight of one.
func (b *Balancer) Upsert(addr string, weight int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.cur.Load()
	eps := slices.Clone(t.endpoints)
	if i := t.index(addr); i >= 0 {
		eps[i].Weight = weight
	} else {
		eps = append(eps, Endpoint{Addr: addr, Weight: weight})
	}
	b.cur.Store(newTable(eps))
}

// Remove takes an endpoint out; it reports whether there was one.
func (b *Balancer) Remove(addr string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.cur.Load()
	i := t.index(addr)
	if i < 0 {
		return false
	}
	b.cur.Store(newTable(slices.Delete(slices.Clone(t.endpoints), i, i+1)))
	return true
}

// Endpoints returns a copy of the table.
func (b *Balancer) Endpoints() []Endpoint {
	return slices.Clone(b.cur.Load().endpoints)
}

// setDown records the result of a probe.
func (b *Balancer) setDown(addr string, down bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.cur.Load()
	i := t.index(addr)
	if i < 0 || t.endpoints[i].Down == down {
		return
	}
	eps := slices.Clone(t.endpoints)
	eps[i].Down = down
	b.cur.Store(newTable(eps))
}

// checkAll probes each endpoint once.
func (b *Balancer) checkAll() {
	for _, ep := range b.cur.Load().endpoints {
		err := b.probe(ep.Addr)
		b.setDown(ep.Addr, err != nil)
	}
}

// Watch probes the endpoints until stop is closed. It is run once.
func (b *Balancer) Watch(every time.Duration, stop <-chan struct{}) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			b.checkAll()
		}
	}
}
