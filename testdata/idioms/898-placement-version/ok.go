// Package placement assigns shards to storage nodes. Finding a good node is
// slow, so it is done on a copy of the state and without holding the lock.
package placement

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
)

var (
	// ErrNoCapacity is returned when no node can take the shard.
	ErrNoCapacity = errors.New("placement: no node with enough capacity")
	// ErrPlaced is returned for a shard that has nodes already.
	ErrPlaced = errors.New("placement: shard is placed")
)

// Node is a storage node with its free bytes.
type Node struct {
	ID   string
	Zone string
	Free int64
}

// Shard is what has to be placed, on Copies nodes of different zones.
type Shard struct {
	ID     string
	Size   int64
	Copies int
}

// view is a copy of the state at one version.
type view struct {
	version uint64
	nodes   []Node
}

// Planner is the placement state. It is safe for concurrent use.
type Planner struct {
	mu      sync.Mutex
	version uint64 // goes up with each change of the fields below
	nodes   map[string]*Node
	shards  map[string][]string
}

// NewPlanner returns a planner for the given nodes.
func NewPlanner(nodes []Node) *Planner {
	p := &Planner{nodes: make(map[string]*Node), shards: make(map[string][]string)}
	for _, n := range nodes {
		p.nodes[n.ID] = &n
	}
	return p
}

// Place finds nodes for the shard and books the space there.
func (p *Planner) Place(ctx context.Context, s Shard) ([]string, error) {
	for {
		v, placed := p.look(s.ID)
		if placed {
			return nil, ErrPlaced
		}
		ids, err := choose(v.nodes, s)
		if err != nil {
			return nil, err
		}
		if p.book(v.version, s, ids) {
			return ids, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// look returns a copy of the state and whether the shard is placed.
func (p *Planner) look(shard string) (view, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.shards[shard]; ok {
		return view{}, true
	}
	v := view{version: p.version, nodes: make([]Node, 0, len(p.nodes))}
	for _, n := range p.nodes {
		v.nodes = append(v.nodes, *n)
	}
	return v, false
}

// book takes the space of the shard off the nodes, if the state is still the
// one of the given version.
func (p *Planner) book(version uint64, s Shard, ids []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.version != version {
		return false
	}
	for _, id := range ids {
		p.nodes[id].Free -= s.Size
	}
	p.shards[s.ID] = slices.Clone(ids)
	p.version++
	return true
}

// AddNode adds a node. A node that is known stays as it is.
func (p *Planner) AddNode(n Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.nodes[n.ID]; ok {
		return
	}
	p.nodes[n.ID] = &n
	p.version++
}

// Drop forgets a shard and gives its space back.
func (p *Planner) Drop(s Shard) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range p.shards[s.ID] {
		p.nodes[id].Free += s.Size
	}
	delete(p.shards, s.ID)
	p.version++
}

// Shards returns where all shards are.
func (p *Planner) Shards() map[string][]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.shards)
}

// choose picks the nodes with the most free space, one per zone.
func choose(nodes []Node, s Shard) ([]string, error) {
	slices.SortFunc(nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(b.Free, a.Free), cmp.Compare(a.ID, b.ID))
	})
	var ids []string
	zones := make(map[string]bool)
	for _, n := range nodes {
		if len(ids) == s.Copies {
			break
		}
		if n.Free < s.Size || zones[n.Zone] {
			continue
		}
		zones[n.Zone] = true
		ids = append(ids, n.ID)
	}
	if len(ids) < s.Copies {
		return nil, ErrNoCapacity
	}
	return ids, nil
}
