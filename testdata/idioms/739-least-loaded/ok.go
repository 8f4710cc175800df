package lb

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// ErrOverloaded is returned when the backends tried are full.
var ErrOverloaded = errors.New("lb: overloaded")

// Client calls one backend.
type Client interface {
	Call(ctx context.Context, req []byte) ([]byte, error)
}

type backend struct {
	name     string
	client   Client
	limit    int64
	inflight atomic.Int64
	ok       atomic.Uint64
	failed   atomic.Uint64
	latency  atomic.Int64 // moving average in nanoseconds
}

func (b *backend) score() int64 {
	return (b.inflight.Load() + 1) * max(b.latency.Load(), int64(time.Millisecond))
}

func (b *backend) tryAcquire() bool {
	for {
		n := b.inflight.Load()
		if n >= b.limit {
			return false
		}
		if b.inflight.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (b *backend) release(took time.Duration, err error) {
	b.inflight.Add(-1)
	if err != nil {
		b.failed.Add(1)
		return
	}
	b.ok.Add(1)
	for {
		old := b.latency.Load()
		next := old + (int64(took)-old)/8
		if b.latency.CompareAndSwap(old, next) {
			return
		}
	}
}

// Balancer chooses the better of two random backends.
type Balancer struct {
	backends []*backend
}

// New returns a balancer over the clients, which must not be empty. Each gets
// at most limit calls at a time.
func New(clients map[string]Client, limit int64) *Balancer {
	b := &Balancer{}
	for name, c := range clients {
		b.backends = append(b.backends, &backend{name: name, client: c, limit: limit})
	}
	return b
}

func (b *Balancer) choose() (better, other *backend) {
	x := b.backends[rand.IntN(len(b.backends))]
	y := b.backends[rand.IntN(len(b.backends))]
	if y.score() < x.score() {
		return y, x
	}
	return x, y
}

// Call sends the request to some backend.
func (b *Balancer) Call(ctx context.Context, req []byte) ([]byte, error) {
	better, other := b.choose()
	for _, be := range [...]*backend{better, other} {
		if !be.tryAcquire() {
			continue
		}
		start := time.Now()
		resp, err := be.client.Call(ctx, req)
		be.release(time.Since(start), err)
		return resp, err
	}
	return nil, ErrOverloaded
}

// Stat describes a backend, about.
type Stat struct {
	Name     string
	Inflight int64
	Latency  time.Duration
	Success  float64
}

func (b *backend) stat() Stat {
	s := Stat{Name: b.name, Inflight: b.inflight.Load(), Latency: time.Duration(b.latency.Load())}
	ok, failed := b.ok.Load(), b.failed.Load()
	if total := ok + failed; total > 0 {
		s.Success = float64(ok) / float64(total)
	}
	return s
}

// Stats describes all backends.
func (b *Balancer) Stats() []Stat {
	out := make([]Stat, 0, len(b.backends))
	for _, be := range b.backends {
		out = append(out, be.stat())
	}
	return out
}

// Export hands the stats to the monitoring every interval until ctx is done.
func (b *Balancer) Export(ctx context.Context, every time.Duration, sink func([]Stat)) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			sink(b.Stats())
		}
	}
}
