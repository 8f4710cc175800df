package a

import (
	"context"
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

var ErrNoUpstream = errors.New("gateway: no upstream available")

type Upstream struct {
	URL   *url.URL
	proxy *httputil.ReverseProxy

	mu      sync.Mutex
	healthy bool
	since   time.Time
}

func (u *Upstream) Healthy() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.healthy
}

func (u *Upstream) setHealthy(ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.healthy = ok
	u.since = time.Now()
}

// Pool balances over its upstreams. When fewer than half are up it ignores the
// health state altogether rather than overload the few that are left.
type Pool struct {
	ups  []*Upstream
	live atomic.Int32
	next atomic.Uint32
}

func NewPool(targets []*url.URL) *Pool {
	p := &Pool{}
	for _, t := range targets {
		u := &Upstream{URL: t, healthy: true, since: time.Now()}
		u.proxy = httputil.NewSingleHostReverseProxy(t)
		u.proxy.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) {
			if !errors.Is(err, context.Canceled) {
				p.mark(u, false)
			}
			w.WriteHeader(http.StatusBadGateway)
		}
		p.ups = append(p.ups, u)
	}
	p.live.Store(int32(len(p.ups)))
	return p
}

// mark records a new health state; called by request goroutines and the prober.
func (p *Pool) mark(u *Upstream, ok bool) {
	if u.Healthy() == ok {
		return
	}
	u.setHealthy(ok)
	if ok {
		p.live.Add(1)
	} else {
		p.live.Add(-1)
	}
}

func (p *Pool) pick() (*Upstream, error) {
	panicMode := int(p.live.Load())*2 < len(p.ups)
	for range p.ups {
		u := p.ups[int(p.next.Add(1))%len(p.ups)]
		if panicMode || u.Healthy() {
			return u, nil
		}
	}
	return nil, ErrNoUpstream
}

func (p *Pool) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u, err := p.pick()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	u.proxy.ServeHTTP(w, r)
}

func (p *Pool) Probe(ctx context.Context, every time.Duration, check func(context.Context, *url.URL) error) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, u := range p.ups {
		wg.Go(func() {
			t := time.NewTicker(every)
			defer t.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-t.C:
					p.mark(u, check(ctx, u.URL) == nil)
				}
			}
		})
	}
}
