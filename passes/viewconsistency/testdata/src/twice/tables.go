package twice

import (
	"sync"
	"sync/atomic"
)

type routes struct {
	byHost map[string]int
	pools  []string
}

func (r *routes) find(host string) (int, bool) {
	i, ok := r.byHost[host]
	return i, ok
}

// A Gateway has its routes and pools in one table, which is replaced as a whole.
type Gateway struct {
	reload sync.Mutex
	table  atomic.Pointer[routes]
	hits   atomic.Int64
}

func (g *Gateway) Apply(t *routes) {
	g.reload.Lock()
	defer g.reload.Unlock()
	g.table.Store(t)
}

func (g *Gateway) match(host string) (int, bool) {
	i, ok := g.table.Load().find(host)
	if ok {
		g.hits.Add(1)
	}
	return i, ok
}

// Pool takes a position of one table for one of the next.
func (g *Gateway) Pool(host string) string {
	i, ok := g.match(host)
	if !ok {
		return ""
	}
	return g.table.Load().pools[i] // want `split-read: g.table is read here a second time after line \d+`
}

// PoolAtOnce reads one table.
func (g *Gateway) PoolAtOnce(host string) string {
	t := g.table.Load()
	i, ok := t.find(host)
	if !ok {
		return ""
	}
	return t.pools[i]
}
