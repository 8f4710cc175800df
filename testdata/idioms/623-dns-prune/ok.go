// Package dnscache remembers resolved addresses in a client.
package dnscache

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

type record struct {
	addrs []string
	until time.Time
}

// Resolver is a caching resolver.
type Resolver struct {
	lookup func(ctx context.Context, host string) ([]string, error)
	ttl    time.Duration

	sync.RWMutex
	records map[string]*record
	pruned  int
}

// New returns a resolver that remembers answers for ttl.
func New(ttl time.Duration) *Resolver {
	return &Resolver{
		lookup:  net.DefaultResolver.LookupHost,
		ttl:     ttl,
		records: make(map[string]*record),
	}
}

func (r *Resolver) cached(host string, now time.Time) ([]string, bool) {
	r.RLock()
	defer r.RUnlock()
	rec, ok := r.records[host]
	if !ok || now.After(rec.until) {
		return nil, false
	}
	return append([]string(nil), rec.addrs...), true
}

// Resolve returns the addresses of a host.
func (r *Resolver) Resolve(ctx context.Context, host string) ([]string, error) {
	if addrs, ok := r.cached(host, time.Now()); ok {
		return addrs, nil
	}
	asked := time.Now()
	addrs, err := r.lookup(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("dnscache: %s: %w", host, err)
	}
	rec := &record{addrs: append([]string(nil), addrs...), until: asked.Add(r.ttl)}
	r.Lock()
	if have := r.records[host]; have == nil || have.until.Before(rec.until) {
		r.records[host] = rec
	}
	r.Unlock()
	return addrs, nil
}

type candidate struct {
	host string
	rec  *record
}

func (r *Resolver) stale(now time.Time) []candidate {
	r.RLock()
	defer r.RUnlock()
	var out []candidate
	for host, rec := range r.records {
		if now.After(rec.until) {
			out = append(out, candidate{host, rec})
		}
	}
	return out
}

func (r *Resolver) prune(now time.Time) {
	for _, c := range r.stale(now) {
		r.Lock()
		if r.records[c.host] == c.rec {
			delete(r.records, c.host)
			r.pruned++
		}
		r.Unlock()
	}
}

// Pruned returns how many records were removed.
func (r *Resolver) Pruned() int {
	r.RLock()
	defer r.RUnlock()
	return r.pruned
}

// Run prunes until ctx ends.
func (r *Resolver) Run(ctx context.Context) {
	t := time.NewTicker(r.ttl)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			r.prune(now)
		}
	}
}
