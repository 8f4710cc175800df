package a

import (
	"slices"
	"sync"
	"sync/atomic"
)

// table is filled by one goroutine and only read after it is published. The
// helpers still lock, from the time when tables were edited in place.
type table struct {
	mu    sync.RWMutex
	nodes []string
	owner []string
	load  map[string]int
}

func (t *table) weight(node string) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.load[node]
}

func (t *table) assign(shard int, node string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.owner[shard]; old != "" {
		t.load[old]--
	}
	t.owner[shard] = node
	t.load[node]++
}

func (t *table) lightest() string {
	return slices.MinFunc(t.nodes, func(a, b string) int { return t.weight(a) - t.weight(b) })
}

// Cluster routes shards to nodes.
type Cluster struct {
	shards int
	resize sync.Mutex // one change of the membership at a time
	cur    atomic.Pointer[table]
}

func NewCluster(shards int, nodes ...string) *Cluster {
	c := &Cluster{shards: shards}
	c.cur.Store(c.build(nil, nodes))
	return c
}

// build keeps shards where they are as far as the load allows.
func (c *Cluster) build(old *table, nodes []string) *table {
	t := &table{nodes: slices.Clone(nodes), owner: make([]string, c.shards), load: make(map[string]int)}
	if len(nodes) == 0 {
		return t
	}
	limit := (c.shards + len(nodes) - 1) / len(nodes)
	for s := range c.shards {
		if old != nil && slices.Contains(nodes, old.owner[s]) && t.weight(old.owner[s]) < limit {
			t.assign(s, old.owner[s])
		}
	}
	for s := range c.shards {
		if t.owner[s] == "" {
			t.assign(s, t.lightest())
		}
	}
	return t
}

// Join adds a node.
func (c *Cluster) Join(node string) bool {
	c.resize.Lock()
	defer c.resize.Unlock()
	old := c.cur.Load()
	if slices.Contains(old.nodes, node) {
		return false
	}
	c.cur.Store(c.build(old, append(slices.Clone(old.nodes), node)))
	return true
}

// Leave removes a node.
func (c *Cluster) Leave(node string) bool {
	c.resize.Lock()
	defer c.resize.Unlock()
	old := c.cur.Load()
	i := slices.Index(old.nodes, node)
	if i < 0 {
		return false
	}
	c.cur.Store(c.build(old, slices.Delete(slices.Clone(old.nodes), i, i+1)))
	return true
}

// Weight is the number of shards on a node.
func (c *Cluster) Weight(node string) int { return c.cur.Load().weight(node) }

// Owner routes a request; it is "" when there is no node.
func (c *Cluster) Owner(shard int) string { return c.cur.Load().owner[shard] }
