// Package ok sends calls to the connection with the fewest calls of a few.
package ok

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

var errNoneReady = errors.New("no connection is ready")

// Conn is a connection.
type Conn interface {
	Addr() string
}

// Pick is the result of a choice; Done must be called when the call is over.
type Pick struct {
	Conn Conn
	Done func(err error)
}

// chooser makes choices; it is replaced when connections come or go.
type chooser struct {
	choices uint32
	conns   []counted
}

type counted struct {
	conn   Conn
	active *atomic.Int32
}

func (c *chooser) pick() (Pick, error) {
	if len(c.conns) == 0 {
		return Pick{}, errNoneReady
	}
	var best *counted
	var bestActive int32
	for i := 0; i < int(c.choices); i++ {
		cand := c.conns[rand.Uint32()%uint32(len(c.conns))]
		n := cand.active.Load()
		if best == nil || n < bestActive {
			best = &cand
			bestActive = n
		}
	}
	// The counter is incremented after the connection has been picked.
	best.active.Add(1)
	return Pick{
		Conn: best.conn,
		Done: func(error) { best.active.Add(-1) },
	}, nil
}

// balancer builds choosers. Its methods are called by one goroutine, except
// for Call.
type balancer struct {
	choices uint32
	active  map[Conn]*atomic.Int32

	mu      sync.RWMutex
	current *chooser

	failed atomic.Uint64
}

func newBalancer(choices uint32) *balancer {
	return &balancer{
		choices: max(choices, 1),
		active:  make(map[Conn]*atomic.Int32),
		current: &chooser{},
	}
}

// Update is called with the connections that are ready.
func (b *balancer) Update(ready []Conn) {
	keep := make(map[Conn]bool, len(ready))
	for _, c := range ready {
		keep[c] = true
		if _, ok := b.active[c]; !ok {
			// Keep the counter over several updates, since calls that are
			// under way hold on to it.
			b.active[c] = new(atomic.Int32)
		}
	}
	for c := range b.active {
		if !keep[c] {
			delete(b.active, c)
		}
	}

	ch := &chooser{choices: b.choices}
	for _, c := range ready {
		ch.conns = append(ch.conns, counted{conn: c, active: b.active[c]})
	}
	b.mu.Lock()
	b.current = ch
	b.mu.Unlock()
}

// Call runs f on a connection.
func (b *balancer) Call(f func(Conn) error) error {
	b.mu.RLock()
	ch := b.current
	b.mu.RUnlock()
	p, err := ch.pick()
	if err != nil {
		b.failed.Add(1)
		return err
	}
	err = f(p.Conn)
	p.Done(err)
	if err != nil {
		b.failed.Add(1)
	}
	return err
}

// Active returns the number of running calls.
func (b *balancer) Active() int32 {
	b.mu.RLock()
	ch := b.current
	b.mu.RUnlock()
	var n int32
	for _, c := range ch.conns {
		n += c.active.Load()
	}
	return n
}
