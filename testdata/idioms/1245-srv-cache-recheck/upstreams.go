package reverseproxy

import (
	"context"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Upstream bridges this proxy's configuration to the
// state of the backend host it is correlated with.
type Upstream struct {
	Dial        string
	MaxRequests int
}

// SRVUpstreams provides upstreams from SRV lookups.
// The lookup DNS name can be configured either by
// its individual parts or by the name alone.
type SRVUpstreams struct {
	Service string
	Proto   string
	Name    string

	// How often to refresh
	Refresh time.Duration

	// If > 0 and there is an error with the lookup,
	// continue to use the cached results for up to
	// this long before trying again, (even though they
	// are stale) instead of returning an error to the
	// client.
	GracePeriod time.Duration

	resolver srvResolver
}

type srvResolver interface {
	LookupSRV(ctx context.Context, service, proto, name string) (string, []*net.SRV, error)
}

type srvLookup struct {
	srvUpstreams SRVUpstreams
	freshness    time.Time
	upstreams    []Upstream
}

func (sl srvLookup) isFresh() bool {
	return time.Since(sl.freshness) < sl.srvUpstreams.Refresh
}

var (
	srvs   = make(map[string]srvLookup)
	srvsMu sync.RWMutex
)

// Provision sets up the module.
func (su *SRVUpstreams) Provision() {
	if su.Refresh == 0 {
		su.Refresh = time.Minute
	}
	if su.resolver == nil {
		su.resolver = net.DefaultResolver
	}
}

func (su SRVUpstreams) expandedAddr() string {
	return "_" + su.Service + "._" + su.Proto + "." + su.Name
}

// ResetCache drops the cached result.
func (su SRVUpstreams) ResetCache() {
	srvsMu.Lock()
	delete(srvs, su.expandedAddr())
	srvsMu.Unlock()
}

func (su SRVUpstreams) GetUpstreams(r *http.Request) ([]*Upstream, error) {
	suAddr := su.expandedAddr()

	// first, use a cheap read-lock to return a cached result quickly
	srvsMu.RLock()
	cached := srvs[suAddr]
	srvsMu.RUnlock()
	if cached.isFresh() {
		return allNew(cached.upstreams), nil
	}

	// otherwise, obtain a write-lock to update the cached value
	srvsMu.Lock()
	defer srvsMu.Unlock()

	// check to see if it's still stale, since we're now in a different
	// lock from when we first checked freshness; another goroutine might
	// have refreshed it in the meantime before we re-obtained our lock
	cached = srvs[suAddr]
	if cached.isFresh() {
		return allNew(cached.upstreams), nil
	}

	_, records, err := su.resolver.LookupSRV(r.Context(), su.Service, su.Proto, su.Name)
	if err != nil {
		// only return an error if no records were also returned.
		if len(records) == 0 {
			if su.GracePeriod > 0 {
				log.Println("SRV lookup failed; using previously cached", err)
				cached.freshness = time.Now().Add(su.GracePeriod - su.Refresh)
				srvs[suAddr] = cached
				return allNew(cached.upstreams), nil
			}
			return nil, err
		}
		log.Println("SRV records filtered", err)
	}

	upstreams := make([]Upstream, len(records))
	for i, rec := range records {
		upstreams[i] = Upstream{Dial: net.JoinHostPort(rec.Target, strconv.Itoa(int(rec.Port)))}
	}

	// before adding a new one to the cache (as opposed to replacing stale one), make room if cache is full
	if cached.freshness.IsZero() && len(srvs) >= 100 {
		for randomKey := range srvs {
			delete(srvs, randomKey)
			break
		}
	}

	srvs[suAddr] = srvLookup{
		srvUpstreams: su,
		freshness:    time.Now(),
		upstreams:    upstreams,
	}
	return allNew(upstreams), nil
}

// allNew returns copies, so that callers do not share the cached ones.
func allNew(upstreams []Upstream) []*Upstream {
	results := make([]*Upstream, len(upstreams))
	for i := range upstreams {
		up := upstreams[i]
		results[i] = &up
	}
	return results
}
