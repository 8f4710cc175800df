// Package hashring picks a cache server for a key by consistent hashing.
package hashring

import (
	"context"
	"errors"
	"hash/fnv"
	"net"
	"slices"
	"sort"
	"strconv"
	"sync/atomic"
	"time"
)

// ErrEmpty is returned while no server is known.
var ErrEmpty = errors.New("hashring: no servers")

type point struct {
	hash  uint64
	index int // into ring.addrs
}

type ring struct {
	addrs  []string
	points []point
}

func hash64(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

func build(addrs []string, replicas int) *ring {
	r := &ring{addrs: slices.Clone(addrs)}
	slices.Sort(r.addrs)
	r.addrs = slices.Compact(r.addrs)
	for i, a := range r.addrs {
		for n := range replicas {
			r.points = append(r.points, point{hash64(a + "#" + strconv.Itoa(n)), i})
		}
	}
	sort.Slice(r.points, func(i, j int) bool { return r.points[i].hash < r.points[j].hash })
	return r
}

// Resolver finds the servers of a service.
type Resolver interface {
	Lookup(ctx context.Context, service string) ([]string, error)
}

// Selector maps keys to servers. It is safe for concurrent use.
type Selector struct {
	replicas int
	ring     atomic.Pointer[ring]
	dialer   net.Dialer
}

// NewSelector returns a selector for the given servers, each of which gets
// replicas points on the ring.
func NewSelector(replicas int, addrs ...string) *Selector {
	s := &Selector{replicas: replicas}
	s.Update(addrs)
	return s
}

// Update replaces the servers.
func (s *Selector) Update(addrs []string) {
	s.ring.Store(build(addrs, s.replicas))
}

// Pick returns the address of the server that owns key.
func (s *Selector) Pick(key string) (string, error) {
	r := s.ring.Load()
	points := r.points
	if len(points) == 0 {
		return "", ErrEmpty
	}
	h := hash64(key)
	i := sort.Search(len(points), func(i int) bool { return points[i].hash >= h })
	if i == len(points) {
		i = 0
	}
	return r.addrs[points[i].index], nil
}

// Dial connects to the server that owns key.
func (s *Selector) Dial(ctx context.Context, key string) (net.Conn, error) {
	addr, err := s.Pick(key)
	if err != nil {
		return nil, err
	}
	return s.dialer.DialContext(ctx, "tcp", addr)
}

// Servers lists the current servers.
func (s *Selector) Servers() []string {
	return slices.Clone(s.ring.Load().addrs)
}

// Follow looks the service up every interval and adopts what it finds, until
// ctx is done.
func (s *Selector) Follow(ctx context.Context, r Resolver, service string, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if addrs, err := r.Lookup(ctx, service); err == nil {
			s.Update(addrs)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
