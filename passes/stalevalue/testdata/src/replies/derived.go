package replies

import (
	"maps"
	"sync"
	"sync/atomic"
)

// A Gateway has routes that are computed of the configurations of all sources.
type Gateway struct {
	mu      sync.Mutex
	configs map[string]string

	routes atomic.Pointer[map[string]string]

	order  sync.Mutex // one at a time
	inTurn atomic.Pointer[map[string]string]
}

func (g *Gateway) snapshot() map[string]string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.configs)
}

func merge(configs map[string]string) *map[string]string {
	out := make(map[string]string)
	for source, target := range configs {
		out[target] = source
	}
	return &out
}

// apply may store what another run has computed anew meanwhile.
func (g *Gateway) apply() {
	g.routes.Store(merge(g.snapshot())) // want `stale-use: g.configs was read at line \d+, but g.mu was released when snapshot returned and another goroutine may change it, and have what comes of that stored, before this write puts what comes of the older one in its place`
}

func (g *Gateway) Update(source, target string) {
	g.mu.Lock()
	g.configs[source] = target
	g.mu.Unlock()
	g.apply()
}

// applyInTurn does both under a lock.
func (g *Gateway) applyInTurn() {
	g.order.Lock()
	defer g.order.Unlock()
	g.inTurn.Store(merge(g.snapshot()))
}

func (g *Gateway) Replace(source, target string) {
	g.mu.Lock()
	g.configs[source] = target
	g.mu.Unlock()
	g.applyInTurn()
}

// A Beacon has its signal computed in each round. Who sets a lamp waits for the next one.
type Beacon struct {
	mu     sync.Mutex
	lamps  map[string]string
	signal atomic.Pointer[map[string]string]
}

func NewBeacon(rounds <-chan string) *Beacon {
	b := &Beacon{lamps: make(map[string]string)}
	go b.run(rounds)
	return b
}

func (b *Beacon) run(rounds <-chan string) {
	for name := range rounds {
		b.Set(name, "round")
		b.show()
	}
}

func (b *Beacon) Set(lamp, color string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lamps[lamp] = color
}

func (b *Beacon) colors() map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.lamps)
}

func (b *Beacon) show() { b.signal.Store(merge(b.colors())) }
