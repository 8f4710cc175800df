// Correct: the loads by which Do chooses are a hint. Any upstream may serve
// any request and there is no limit that could be exceeded; if the load has
// changed by the time the request is counted, the choice was only a little
// worse. The counts themselves are kept by single steps.
package ok

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// ErrNone is returned when there is no upstream.
var ErrNone = errors.New("no upstream")

// Upstream is a server that requests can be sent to.
type Upstream struct {
	Addr string

	mu      sync.Mutex
	active  int
	latency time.Duration // moving average
}

func (u *Upstream) cost() float64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return float64(u.active+1) * float64(u.latency+time.Millisecond)
}

func (u *Upstream) begin() {
	u.mu.Lock()
	u.active++
	u.mu.Unlock()
}

func (u *Upstream) end(took time.Duration) {
	u.mu.Lock()
	u.active--
	u.latency += (took - u.latency) / 8
	u.mu.Unlock()
}

// Active is the number of requests that are being served.
func (u *Upstream) Active() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.active
}

// Balancer spreads requests over its upstreams.
type Balancer struct {
	mu  sync.RWMutex
	ups []*Upstream
}

func (b *Balancer) Add(addr string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ups = append(b.ups, &Upstream{Addr: addr})
}

func (b *Balancer) two() (x, y *Upstream) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	n := len(b.ups)
	if n == 0 {
		return nil, nil
	}
	return b.ups[rand.IntN(n)], b.ups[rand.IntN(n)]
}

func (b *Balancer) choose() *Upstream {
	x, y := b.two()
	if x == nil || x == y {
		return x
	}
	if y.cost() < x.cost() {
		return y
	}
	return x
}

// Do sends a request to one of the less busy upstreams.
func (b *Balancer) Do(ctx context.Context, send func(ctx context.Context, addr string) error) error {
	u := b.choose()
	if u == nil {
		return ErrNone
	}
	u.begin()
	start := time.Now()
	defer func() { u.end(time.Since(start)) }()
	return send(ctx, u.Addr)
}

// Total is about the number of requests that are being served.
func (b *Balancer) Total() int {
	b.mu.RLock()
	ups := append([]*Upstream(nil), b.ups...)
	b.mu.RUnlock()
	n := 0
	for _, u := range ups {
		n += u.Active()
	}
	return n
}
