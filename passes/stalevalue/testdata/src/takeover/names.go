package takeover

import (
	"sync"
	"sync/atomic"
	"time"
)

// Flights shares fetches by keys of any type.
type Flights[K comparable] struct {
	mu    sync.Mutex
	calls map[K]*flight
	fetch func(K) string
}

type flight struct {
	done chan struct{}
	val  string
}

// Do starts a fetch, unless there is one.
func (g *Flights[K]) Do(key K) string {
	g.mu.Lock()
	c, ok := g.calls[key]
	if !ok {
		c = &flight{done: make(chan struct{})}
		g.calls[key] = c
		go g.run(key, c)
	}
	g.mu.Unlock()
	<-c.done
	return c.val
}

func (g *Flights[K]) run(key K, c *flight) {
	c.val = g.fetch(key)
	g.Forget(key) // want `g.calls\[key\] is removed here, whatever is there by now: it was put in at line 27, and \(\*Flights\[K\]\).Forget \(names.go:45\) may have removed that`
	close(c.done)
}

// Forget is also for those who have changed what is fetched.
func (g *Flights[K]) Forget(key K) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.calls, key)
}

// Fetches has nobody else who removes a fetch.
type Fetches struct {
	mu    sync.Mutex
	calls map[[4]byte]*flight
	fetch func([4]byte) string
}

// Do starts a fetch, unless there is one. That is right.
func (g *Fetches) Do(key [4]byte) string {
	g.mu.Lock()
	c, ok := g.calls[key]
	if !ok {
		c = &flight{done: make(chan struct{})}
		g.calls[key] = c
		go g.run(key, c)
	}
	g.mu.Unlock()
	<-c.done
	return c.val
}

func (g *Fetches) run(key [4]byte, c *flight) {
	c.val = g.fetch(key)
	g.forget(key)
	close(c.done)
}

func (g *Fetches) forget(key [4]byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.calls, key)
}

// Vaults have keys that are not text.
type Vaults struct {
	mu   sync.Mutex
	open map[[4]byte]*conn
}

// Open ends by itself.
func (v *Vaults) Open(key [4]byte, c *conn) {
	v.mu.Lock()
	v.open[key] = c
	v.mu.Unlock()
	c.read()
	v.mu.Lock()
	delete(v.open, key) // want `v.open\[key\] is removed here, whatever is there by now: it was put in at line 90, and \(\*Vaults\).Lock \(names.go:102\) may have removed that`
	v.mu.Unlock()
}

// Lock ends it at once.
func (v *Vaults) Lock(key [4]byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.open, key)
}

// Groups have a table of parts under each key, which one goroutine adds and takes away.
type Groups struct {
	mu    sync.Mutex
	parts map[group]map[string]int
}

type group struct{ job, provider string }

// Collect adds parts, and takes all away at its end. That is right.
func (g *Groups) Collect(key group, from <-chan string) {
	defer g.remove(key)
	for part := range from {
		g.add(key, part)
	}
}

func (g *Groups) add(key group, part string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.parts[key] == nil {
		g.parts[key] = make(map[string]int)
	}
	g.parts[key][part]++
}

func (g *Groups) remove(key group) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.parts, key)
}

// Parts counts them.
func (g *Groups) Parts(key group) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.parts[key])
}

// Acks wait for answers, under numbers that their callers count up.
type Acks struct {
	mu   sync.Mutex
	next atomic.Uint32
	wait map[uint32]*flight
}

// Ping waits under a number of its own.
func (a *Acks) Ping(ttl time.Duration) {
	p := ping{seq: a.count()}
	a.expect(p.seq, ttl)
}

// Relay does so, too.
func (a *Acks) Relay(ttl time.Duration) {
	a.expectQuietly(a.count(), ttl)
}

type ping struct{ seq uint32 }

func (a *Acks) count() uint32 { return a.next.Add(1) }

// expectQuietly is right, too.
func (a *Acks) expectQuietly(seq uint32, ttl time.Duration) {
	f := &flight{}
	a.mu.Lock()
	a.wait[seq] = f
	a.mu.Unlock()
	time.AfterFunc(ttl, func() {
		a.mu.Lock()
		delete(a.wait, seq)
		a.mu.Unlock()
	})
}

// expect is right: nobody else has the number.
func (a *Acks) expect(seq uint32, ttl time.Duration) {
	a.mu.Lock()
	a.wait[seq] = &flight{}
	a.mu.Unlock()
	time.AfterFunc(ttl, func() {
		a.mu.Lock()
		delete(a.wait, seq)
		a.mu.Unlock()
	})
}

// Answer takes the flight away.
func (a *Acks) Answer(seq uint32) *flight {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.wait[seq]
	delete(a.wait, seq)
	return f
}

// Handle does not know the numbers of the flights that it starts.
func (a *Acks) Handle(kind string, ttl time.Duration) {
	switch kind {
	case "ping":
		a.Ping(ttl)
	case "relay":
		a.Relay(ttl)
	}
}
