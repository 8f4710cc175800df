package a

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
)

// Layout is an immutable assignment of shards to nodes.
type Layout struct {
	Nodes []string
	Owner map[int]string
}

func (l *Layout) clone() *Layout {
	return &Layout{Nodes: slices.Clone(l.Nodes), Owner: maps.Clone(l.Owner)}
}

func (l *Layout) load() map[string]int {
	n := make(map[string]int, len(l.Nodes))
	for _, node := range l.Nodes {
		n[node] = 0
	}
	for _, node := range l.Owner {
		n[node]++
	}
	return n
}

// CopyFunc copies the data of a shard; it may be repeated.
type CopyFunc func(ctx context.Context, shard int, from, to string) error

// Rebalancer owns the layout of the cluster.
type Rebalancer struct {
	layout atomic.Pointer[Layout]
	copy   CopyFunc
	moved  atomic.Int64
}

func NewRebalancer(shards int, node string, cp CopyFunc) *Rebalancer {
	l := &Layout{Nodes: []string{node}, Owner: make(map[int]string, shards)}
	for s := range shards {
		l.Owner[s] = node
	}
	r := &Rebalancer{copy: cp}
	r.layout.Store(l)
	return r
}

// Owner routes a request.
func (r *Rebalancer) Owner(shard int) string { return r.layout.Load().Owner[shard] }

func (r *Rebalancer) update(change func(*Layout)) {
	for {
		old := r.layout.Load()
		next := old.clone()
		change(next)
		if r.layout.CompareAndSwap(old, next) {
			return
		}
	}
}

// Join adds an empty node.
func (r *Rebalancer) Join(node string) {
	r.update(func(l *Layout) {
		if !slices.Contains(l.Nodes, node) {
			l.Nodes = append(l.Nodes, node)
		}
	})
}

// Fail drops a dead node; its shards go to the replicas on the others.
func (r *Rebalancer) Fail(node string) {
	r.update(func(l *Layout) {
		i := slices.Index(l.Nodes, node)
		if i < 0 || len(l.Nodes) == 1 {
			return
		}
		l.Nodes = slices.Delete(l.Nodes, i, i+1)
		for s, owner := range l.Owner {
			if owner == node {
				l.Owner[s] = l.Nodes[s%len(l.Nodes)]
			}
		}
	})
}

// Rebalance moves shards from full nodes to empty ones.
func (r *Rebalancer) Rebalance(ctx context.Context) error {
	for {
		cur := r.layout.Load()
		next, err := r.plan(ctx, cur)
		if err != nil {
			return err
		}
		if r.layout.CompareAndSwap(cur, next) {
			r.moved.Add(1)
			return nil
		}
	}
}

func (r *Rebalancer) plan(ctx context.Context, cur *Layout) (*Layout, error) {
	next := cur.clone()
	load := next.load()
	limit := (len(next.Owner) + len(next.Nodes) - 1) / len(next.Nodes)
	for s, from := range cur.Owner {
		if load[from] <= limit {
			continue
		}
		to := slices.MinFunc(next.Nodes, func(a, b string) int { return load[a] - load[b] })
		if err := r.copy(ctx, s, from, to); err != nil {
			return nil, fmt.Errorf("shard %d: %w", s, err)
		}
		next.Owner[s] = to
		load[from]--
		load[to]++
	}
	return next, nil
}
