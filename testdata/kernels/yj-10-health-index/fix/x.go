// Package upstream keeps the upstream resolvers of a forwarder.
package upstream

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrNoHealthy is returned when every upstream is down.
var ErrNoHealthy = errors.New("upstream: no healthy upstreams")

const maxFails = 3

type upstream struct {
	addr  string
	fails int
	since time.Time
}

// Prober sends a cheap query to a resolver.
type Prober interface {
	Probe(ctx context.Context, addr string) error
}

// Pool selects among upstreams and checks their health.
type Pool struct {
	prober  Prober
	timeout time.Duration

	mu   sync.Mutex
	ups  []*upstream
	next int
}

// NewPool returns a pool of the given resolvers.
func NewPool(prober Prober, timeout time.Duration, addrs []string) *Pool {
	p := &Pool{prober: prober, timeout: timeout}
	p.SetUpstreams(addrs)
	return p
}

// SetUpstreams is called when resolv.conf changed. Health of those that stay
// is kept. The addresses are distinct.
func (p *Pool) SetUpstreams(addrs []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := make(map[string]*upstream, len(p.ups))
	for _, u := range p.ups {
		old[u.addr] = u
	}
	ups := make([]*upstream, 0, len(addrs))
	for _, a := range addrs {
		u := old[a]
		if u == nil {
			u = &upstream{addr: a, since: time.Now()}
		}
		ups = append(ups, u)
	}
	p.ups = ups
	p.next = 0
}

// Pick returns the next healthy upstream.
func (p *Pool) Pick() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range p.ups {
		u := p.ups[p.next%len(p.ups)]
		p.next++
		if u.fails < maxFails {
			return u.addr, nil
		}
	}
	return "", ErrNoHealthy
}

func (p *Pool) addrs() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]string, len(p.ups))
	for i, u := range p.ups {
		out[i] = u.addr
	}
	return out
}

// report notes the outcome of a probe.
func (p *Pool) report(addr string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.ups, func(u *upstream) bool { return u.addr == addr })
	if i < 0 {
		return
	}
	u := p.ups[i]
	if err == nil {
		if u.fails >= maxFails {
			u.since = time.Now()
		}
		u.fails = 0
		return
	}
	u.fails++
	if u.fails == maxFails {
		u.since = time.Now()
	}
}

func (p *Pool) probe(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	return p.prober.Probe(ctx, addr)
}

// checkAll probes all upstreams at once, a dead one takes the full timeout.
func (p *Pool) checkAll(ctx context.Context) {
	var wg sync.WaitGroup
	for _, addr := range p.addrs() {
		wg.Add(1)
		go func() {
			defer wg.Done()
			err := p.probe(ctx, addr)
			if ctx.Err() != nil {
				return
			}
			p.report(addr, err)
		}()
	}
	wg.Wait()
}

// Run checks the upstreams until ctx ends.
func (p *Pool) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			p.checkAll(ctx)
		case <-ctx.Done():
			return
		}
	}
}
