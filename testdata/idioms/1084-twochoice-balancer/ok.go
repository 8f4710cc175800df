// Correct: the loads that pick compares may be out of date when the request is
// counted, and two updates of the latency average may overlap so that one
// sample is lost. Both are meant as hints: any backend may serve any request,
// there is no limit to exceed, and the average is a rough weight. What has to
// be exact, the number of open requests, goes up and down by atomic additions.
package twochoicebalancer

import (
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

var ErrNoBackends = errors.New("no backends")

type Backend struct {
	Addr    string
	open    atomic.Int64
	latency atomic.Int64 // nanoseconds, moving average
	total   atomic.Int64
}

func (b *Backend) cost() int64 {
	return (b.open.Load() + 1) * (b.latency.Load() + int64(time.Millisecond))
}

func (b *Backend) observe(d time.Duration) {
	old := b.latency.Load()
	if old == 0 {
		b.latency.Store(int64(d))
		return
	}
	b.latency.Store(old + (int64(d)-old)/8)
}

// Balancer spreads requests over a fixed set of backends.
type Balancer struct {
	backends []*Backend
}

func New(addrs ...string) *Balancer {
	b := &Balancer{}
	for _, a := range addrs {
		b.backends = append(b.backends, &Backend{Addr: a})
	}
	return b
}

// pick takes the cheaper of two backends drawn at random.
func (b *Balancer) pick() (*Backend, error) {
	switch len(b.backends) {
	case 0:
		return nil, ErrNoBackends
	case 1:
		return b.backends[0], nil
	}
	i := rand.IntN(len(b.backends))
	j := rand.IntN(len(b.backends) - 1)
	if j >= i {
		j++
	}
	x, y := b.backends[i], b.backends[j]
	if y.cost() < x.cost() {
		x = y
	}
	return x, nil
}

// Do runs a request on a backend.
func (b *Balancer) Do(req func(addr string) error) error {
	be, err := b.pick()
	if err != nil {
		return err
	}
	be.open.Add(1)
	be.total.Add(1)
	defer be.open.Add(-1)
	start := time.Now()
	err = req(be.Addr)
	if err == nil {
		be.observe(time.Since(start))
	}
	return err
}

// Open returns the number of open requests.
func (b *Balancer) Open() int64 {
	var n int64
	for _, be := range b.backends {
		n += be.open.Load()
	}
	return n
}
