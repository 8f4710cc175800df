// Package reverseproxy looks up the upstreams of a proxy in the DNS.
package reverseproxy

import (
	"context"
	"log"
	"net"
	"strconv"
	"sync"
	"time"
)

// Upstream bridges this proxy's configuration to one backend.
type Upstream struct {
	Dial string
}

// SRVUpstreams provides upstreams from SRV lookups.
// The lookup DNS name can be configured either by
// its individual parts or just the name.
type SRVUpstreams struct {
	Refresh     time.Duration
	GracePeriod time.Duration
	DialNetwork string
	Service     string
	Proto       string
	Name        string

	Resolver *net.Resolver
}

// ResetCache forgets the result of one lookup, or of all if su is nil.
func (su *SRVUpstreams) ResetCache() {
	srvsMu.Lock()
	if su == nil {
		srvs = make(map[string]srvLookup)
	} else {
		delete(srvs, su.formattedAddr())
	}
	srvsMu.Unlock()
}

// GetUpstreams returns the upstreams; each call returns new ones.
func (su SRVUpstreams) GetUpstreams(ctx context.Context) ([]*Upstream, error) {
	suAddr := su.formattedAddr()

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

	_, records, err := su.Resolver.LookupSRV(ctx, su.Service, su.Proto, su.Name)
	if err != nil {
		// From LookupSRV docs: "If the response contains invalid names, those records are filtered
		// out and an error will be returned alongside the remaining results, if any." Thus, we
		// only return an error if no records were also returned.
		if len(records) == 0 {
			if su.GracePeriod > 0 {
				log.Printf("SRV lookup failed; using previously cached: %v", err)
				cached.freshness = time.Now().Add(su.GracePeriod - su.Refresh)
				srvs[suAddr] = cached
				return allNew(cached.upstreams), nil
			}
			return nil, err
		}
		log.Printf("SRV records filtered: %v", err)
	}

	upstreams := make([]Upstream, len(records))
	for i, rec := range records {
		addr := net.JoinHostPort(rec.Target, strconv.Itoa(int(rec.Port)))
		if su.DialNetwork != "" {
			addr = su.DialNetwork + "/" + addr
		}
		upstreams[i] = Upstream{Dial: addr}
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

// formattedAddr the RFC 2782 representation of the SRV domain, in
// the form "_service._proto.name".
func (su SRVUpstreams) formattedAddr() string {
	if su.Service == "" && su.Proto == "" {
		return su.Name
	}
	return "_" + su.Service + "._" + su.Proto + "." + su.Name
}

type srvLookup struct {
	srvUpstreams SRVUpstreams
	freshness    time.Time
	upstreams    []Upstream
}

func (sl srvLookup) isFresh() bool {
	return time.Since(sl.freshness) < sl.srvUpstreams.Refresh
}

// allNew returns new copies, as callers may change theirs.
func allNew(upstreams []Upstream) []*Upstream {
	results := make([]*Upstream, len(upstreams))
	for i := range upstreams {
		results[i] = &Upstream{Dial: upstreams[i].Dial}
	}
	return results
}

var (
	srvs   = make(map[string]srvLookup)
	srvsMu sync.RWMutex
)
