package a

import (
	"errors"
	"net/http"
	"sync/atomic"
)

var ErrSaturated = errors.New("gateway: all upstreams saturated")

type Backend struct {
	Name    string
	Handler http.Handler

	limit    int64
	inflight atomic.Int64
	down     atomic.Bool
}

// enter takes one of the backend's places.
func (b *Backend) enter() bool {
	if b.inflight.Load() >= b.limit {
		return false
	}
	if b.inflight.Add(1) > b.limit {
		b.inflight.Add(-1)
		return false
	}
	return true
}

func (b *Backend) leave() { b.inflight.Add(-1) }

func (b *Backend) SetDown(v bool) { b.down.Store(v) }

// Balancer never sends a backend more than its limit at the same time.
type Balancer struct {
	set  atomic.Pointer[[]*Backend]
	turn atomic.Uint64
}

func NewBalancer(bs ...*Backend) *Balancer {
	lb := &Balancer{}
	lb.Replace(bs)
	return lb
}

func NewBackend(name string, h http.Handler, limit int64) *Backend {
	return &Backend{Name: name, Handler: h, limit: limit}
}

// Replace installs a new set; requests under way finish on the old one.
func (lb *Balancer) Replace(bs []*Backend) {
	own := append([]*Backend(nil), bs...)
	lb.set.Store(&own)
}

func (lb *Balancer) acquire() (*Backend, error) {
	set := *lb.set.Load()
	if len(set) == 0 {
		return nil, ErrSaturated
	}
	start := lb.turn.Add(1)
	for i := range set {
		b := set[(start+uint64(i))%uint64(len(set))]
		if !b.down.Load() && b.enter() {
			return b, nil
		}
	}
	return nil, ErrSaturated
}

func (lb *Balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := lb.acquire()
	if err != nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer b.leave()
	b.Handler.ServeHTTP(w, r)
}
