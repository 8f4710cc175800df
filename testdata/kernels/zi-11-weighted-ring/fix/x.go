// Package balance spreads requests over weighted backends.
package balance

import (
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
)

var ErrNoBackend = errors.New("balance: no backend")

// Backend is one server with its share of the traffic.
type Backend struct {
	URL    *url.URL
	Weight int
}

// table is what Update publishes as a whole.
type table struct {
	backends []Backend
	slots    []int // which backend each slot belongs to
}

// Balancer is read on every request, and updated when service discovery
// reports a change.
type Balancer struct {
	next  atomic.Uint64
	table atomic.Pointer[table]
}

func New(backends []Backend) *Balancer {
	b := &Balancer{}
	b.Update(backends)
	return b
}

// Update takes over a new set of backends. The caller must not modify the
// slice afterwards. Discovery calls it from its single goroutine.
func (b *Balancer) Update(backends []Backend) {
	b.table.Store(&table{backends: backends, slots: spread(backends)})
}

// spread gives each backend as many slots as its weight, interleaved so that
// heavy backends do not get all their requests in a row.
func spread(backends []Backend) []int {
	var slots []int
	for round := 0; ; round++ {
		more := false
		for i, be := range backends {
			if be.Weight > round {
				slots = append(slots, i)
				more = true
			}
		}
		if !more {
			return slots
		}
	}
}

func (b *Balancer) slot(slots []int) (int, bool) {
	if len(slots) == 0 {
		return 0, false
	}
	n := b.next.Add(1)
	return slots[n%uint64(len(slots))], true
}

// Pick returns the backend for the next request.
func (b *Balancer) Pick() (*Backend, error) {
	t := b.table.Load()
	i, ok := b.slot(t.slots)
	if !ok {
		return nil, ErrNoBackend
	}
	return &t.backends[i], nil
}

// Len reports the number of backends.
func (b *Balancer) Len() int { return len(b.table.Load().backends) }

// Handler proxies to the picked backends.
func (b *Balancer) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		be, err := b.Pick()
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		p := &httputil.ReverseProxy{
			Rewrite: func(pr *httputil.ProxyRequest) {
				pr.SetURL(be.URL)
				pr.SetXForwarded()
			},
		}
		p.ServeHTTP(w, r)
	})
}
