// Package ok balances requests over the targets of a DNS name.
package ok

import (
	"context"
	"errors"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"time"
)

const maxNames = 100

// Upstream is one target.
type Upstream struct{ Dial string }

type lookup struct {
	refresh   time.Duration
	freshness time.Time
	upstreams []Upstream
}

func (l lookup) isFresh() bool { return time.Since(l.freshness) < l.refresh }

// The results are shared by all handlers, which come and go with the
// configuration.
var (
	lookupsMu sync.RWMutex
	lookups   = make(map[string]lookup)
)

// SRVUpstreams finds targets with SRV records.
type SRVUpstreams struct {
	Name        string
	Refresh     time.Duration
	GracePeriod time.Duration
	Resolver    *net.Resolver
}

// Upstreams returns the current targets, which the caller owns.
func (u *SRVUpstreams) Upstreams(ctx context.Context) ([]*Upstream, error) {
	// First, use a cheap read lock to return a cached result quickly.
	lookupsMu.RLock()
	cached := lookups[u.Name]
	lookupsMu.RUnlock()
	if cached.isFresh() {
		return allNew(cached.upstreams), nil
	}

	lookupsMu.Lock()
	defer lookupsMu.Unlock()

	// Another goroutine may have refreshed it before this one got the lock.
	cached = lookups[u.Name]
	if cached.isFresh() {
		return allNew(cached.upstreams), nil
	}

	_, records, err := u.Resolver.LookupSRV(ctx, "", "", u.Name)
	if err != nil && len(records) == 0 {
		if u.GracePeriod > 0 && len(cached.upstreams) > 0 {
			log.Printf("SRV lookup of %s failed, keeping old result: %v", u.Name, err)
			cached.freshness = time.Now().Add(u.GracePeriod - u.Refresh)
			lookups[u.Name] = cached
			return allNew(cached.upstreams), nil
		}
		return nil, err
	}
	upstreams := make([]Upstream, len(records))
	for i, rec := range records {
		upstreams[i] = Upstream{Dial: net.JoinHostPort(rec.Target, strconv.Itoa(int(rec.Port)))}
	}

	// Make room before a new name is added.
	if cached.freshness.IsZero() && len(lookups) >= maxNames {
		for name := range lookups {
			delete(lookups, name)
			break
		}
	}
	lookups[u.Name] = lookup{refresh: u.Refresh, freshness: time.Now(), upstreams: upstreams}
	return allNew(upstreams), nil
}

func allNew(upstreams []Upstream) []*Upstream {
	all := make([]*Upstream, len(upstreams))
	for i := range upstreams {
		all[i] = &Upstream{Dial: upstreams[i].Dial}
	}
	return all
}

// Handler is a reverse proxy.
type Handler struct {
	source *SRVUpstreams
}

// Listen serves a proxy for source in the background.
func Listen(ln net.Listener, source *SRVUpstreams) *http.Server {
	srv := &http.Server{Handler: &Handler{source: source}}
	go srv.Serve(ln)
	return srv
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ups, err := h.source.Upstreams(r.Context())
	if err == nil && len(ups) == 0 {
		err = errors.New("no targets")
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	up := ups[rand.IntN(len(ups))]
	httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: up.Dial}).ServeHTTP(w, r)
}
