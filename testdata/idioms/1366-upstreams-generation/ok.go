package reverseproxy

import (
	"context"
	"net"
	"strconv"
	"sync"
	"time"
)

type Upstream struct {
	Dial string
}

type srvLookup struct {
	refresh   time.Duration
	freshness time.Time
	upstreams []Upstream
}

func (sl srvLookup) isFresh() bool {
	return time.Since(sl.freshness) < sl.refresh
}

type resolver interface {
	LookupSRV(ctx context.Context, service, proto, name string) (string, []*net.SRV, error)
}

var (
	srvsMu   sync.RWMutex
	srvs     = make(map[string]srvLookup)
	srvGen   = make(map[string]uint64)
	srvEpoch uint64
)

// SRVUpstreams provides upstreams from SRV lookups.
type SRVUpstreams struct {
	Service, Proto, Name string
	Refresh              time.Duration
	GracePeriod          time.Duration
	resolver             resolver
}

func (su *SRVUpstreams) addr() string {
	return "_" + su.Service + "._" + su.Proto + "." + su.Name
}

// ResetCache forgets the result of this lookup, or all of them.
func (su *SRVUpstreams) ResetCache(all bool) {
	srvsMu.Lock()
	defer srvsMu.Unlock()
	if all {
		srvs = make(map[string]srvLookup)
		srvEpoch++
		return
	}
	delete(srvs, su.addr())
	srvGen[su.addr()]++ // an in-flight lookup for this key knows to drop its result
}

// GetUpstreams returns the upstreams, from the cache when they are fresh.
func (su *SRVUpstreams) GetUpstreams(ctx context.Context) ([]Upstream, error) {
	suAddr := su.addr()

	// first, use a cheap read-lock to return a cached result quickly
	srvsMu.RLock()
	cached := srvs[suAddr]
	startEpoch := srvEpoch
	startGen := srvGen[suAddr]
	srvsMu.RUnlock()
	if cached.isFresh() {
		return cached.upstreams, nil
	}

	// no lock held here, so a slow lookup doesn't block anything else
	_, records, err := su.resolver.LookupSRV(ctx, su.Service, su.Proto, su.Name)
	if err != nil && len(records) == 0 {
		if su.GracePeriod <= 0 {
			return nil, err
		}
		srvsMu.Lock()
		if srvEpoch == startEpoch && srvGen[suAddr] == startGen {
			cached.freshness = time.Now().Add(su.GracePeriod - su.Refresh)
			srvs[suAddr] = cached
		}
		srvsMu.Unlock()
		return cached.upstreams, nil
	}

	upstreams := make([]Upstream, len(records))
	for i, rec := range records {
		upstreams[i] = Upstream{Dial: net.JoinHostPort(rec.Target, strconv.Itoa(int(rec.Port)))}
	}

	srvsMu.Lock()
	defer srvsMu.Unlock()
	// reset happened mid-lookup, don't write a stale result back
	if srvEpoch != startEpoch || srvGen[suAddr] != startGen {
		return upstreams, nil
	}
	// make room if cache is full
	if _, ok := srvs[suAddr]; !ok && len(srvs) >= 100 {
		for randomKey := range srvs {
			delete(srvs, randomKey)
			break
		}
	}
	srvs[suAddr] = srvLookup{refresh: su.Refresh, freshness: time.Now(), upstreams: upstreams}
	srvGen[suAddr]++
	return upstreams, nil
}
