// Package balancer spreads RPCs over the backends of a service. Of two random
// backends it takes the one with less load; load is a hint and there is no
// limit on the calls of a backend.
package balancer

import (
	"context"
	"errors"
	"log"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// ErrNoBackends is returned while no backend is known.
var ErrNoBackends = errors.New("balancer: no backends")

// Backend is one server of the service.
type Backend struct {
	addr     string
	started  atomic.Int64 // calls begun, only goes up
	finished atomic.Int64 // calls ended, only goes up
	failed   atomic.Int64 // calls ended with an error, only goes up
}

// NewBackend returns a backend without calls.
func NewBackend(addr string) *Backend { return &Backend{addr: addr} }

// Addr returns the address of the backend.
func (b *Backend) Addr() string { return b.addr }

// Load estimates the number of calls in progress. It may be too high by the
// calls that begin while it is being computed, and is never negative.
func (b *Backend) Load() int64 {
	finished := b.finished.Load()
	return b.started.Load() - finished
}

// Totals are the counters of a backend for the log. They are read one after
// the other and may be off by the calls of that moment.
type Totals struct {
	Addr     string
	Started  int64
	Finished int64
	Failed   int64
}

// Totals returns the counters.
func (b *Backend) Totals() Totals {
	failed := b.failed.Load()
	finished := b.finished.Load()
	return Totals{Addr: b.addr, Started: b.started.Load(), Finished: finished, Failed: failed}
}

func (b *Backend) begin() { b.started.Add(1) }

func (b *Backend) end(err error) {
	b.finished.Add(1)
	if err != nil {
		b.failed.Add(1)
	}
}

// Invoker makes a call to an address.
type Invoker interface {
	Invoke(ctx context.Context, addr, method string, req []byte) ([]byte, error)
}

// Balancer picks backends. It is safe for concurrent use.
type Balancer struct {
	invoker  Invoker
	backends atomic.Pointer[[]*Backend] // the slice is never changed
}

// New returns a balancer without backends.
func New(inv Invoker) *Balancer { return &Balancer{invoker: inv} }

// SetBackends replaces the backends. Calls in progress are not affected.
func (l *Balancer) SetBackends(bs []*Backend) {
	own := append([]*Backend(nil), bs...)
	l.backends.Store(&own)
}

func (l *Balancer) snapshot() []*Backend {
	if p := l.backends.Load(); p != nil {
		return *p
	}
	return nil
}

// lighter returns the backend with less load.
func lighter(a, b *Backend) *Backend {
	if b.Load() < a.Load() {
		return b
	}
	return a
}

// pick returns the backend for the next call.
func (l *Balancer) pick() (*Backend, error) {
	bs := l.snapshot()
	switch len(bs) {
	case 0:
		return nil, ErrNoBackends
	case 1:
		return bs[0], nil
	}
	i := rand.IntN(len(bs))
	j := rand.IntN(len(bs) - 1)
	if j >= i {
		j++
	}
	return lighter(bs[i], bs[j]), nil
}

// Call makes a call to one of the backends.
func (l *Balancer) Call(ctx context.Context, method string, req []byte) ([]byte, error) {
	b, err := l.pick()
	if err != nil {
		return nil, err
	}
	b.begin()
	reply, err := l.invoker.Invoke(ctx, b.addr, method, req)
	b.end(err)
	return reply, err
}

// Report logs the counters of the backends until ctx is done.
func (l *Balancer) Report(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for _, b := range l.snapshot() {
				t := b.Totals()
				log.Printf("balancer: %s: about %d begun, %d ended, %d failed", t.Addr, t.Started, t.Finished, t.Failed)
			}
		}
	}
}
