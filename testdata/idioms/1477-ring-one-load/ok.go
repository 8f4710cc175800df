// Package shard routes keys to the members of a cache cluster.
package shard

import (
	"context"
	"errors"
	"hash/fnv"
	"net/http"
	"slices"
	"sync/atomic"
	"time"
)

var ErrNoMembers = errors.New("shard: no members")

// point is one virtual node.
type point struct {
	hash   uint64
	member int // index into table.members
}

// table is never changed after it was published.
type table struct {
	members []string
	points  []point // sorted by hash
}

func (t *table) size() int { return len(t.points) }

// slot returns the position of the first point at or after hash.
func (t *table) slot(hash uint64) int {
	i, _ := slices.BinarySearchFunc(t.points, hash, func(p point, h uint64) int {
		switch {
		case p.hash < h:
			return -1
		case p.hash > h:
			return 1
		}
		return 0
	})
	return i % t.size()
}

func (t *table) member(slot int) string {
	return t.members[t.points[slot].member]
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64()
}

func build(members []string) *table {
	t := &table{members: slices.Clone(members)}
	for i, m := range t.members {
		for v := range 64 {
			t.points = append(t.points, point{hashOf(m + "#" + string(rune('0'+v))), i})
		}
	}
	slices.SortFunc(t.points, func(a, b point) int {
		if a.hash < b.hash {
			return -1
		}
		if a.hash > b.hash {
			return 1
		}
		return a.member - b.member
	})
	return t
}

// Discovery returns the members that are alive.
type Discovery interface {
	Members(ctx context.Context) ([]string, error)
}

// Router is used by all request handlers.
type Router struct {
	current atomic.Pointer[table]
}

// Start follows the discovery service.
func Start(ctx context.Context, d Discovery, every time.Duration) *Router {
	r := &Router{}
	r.current.Store(&table{})
	go func() {
		for ctx.Err() == nil {
			if members, err := d.Members(ctx); err == nil {
				r.current.Store(build(members))
			}
			time.Sleep(every)
		}
	}()
	return r
}

// Route returns the member responsible for key.
func (r *Router) Route(key string) (string, error) {
	t := r.current.Load()
	if t.size() == 0 {
		return "", ErrNoMembers
	}
	slot := t.slot(hashOf(key))
	return t.member(slot), nil
}

// Members lists the cluster.
func (r *Router) Members() []string {
	return slices.Clone(r.current.Load().members)
}

// ServeHTTP redirects to the responsible member.
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	m, err := r.Route(req.URL.Path)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	http.Redirect(w, req, "http://"+m+req.URL.Path, http.StatusTemporaryRedirect)
}
