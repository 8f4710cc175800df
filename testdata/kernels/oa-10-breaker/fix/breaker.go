// Package breaker stops calls to backends which are down.
package breaker

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrOpen is returned without a call while the backend is down.
var ErrOpen = errors.New("breaker: open")

type phase int

const (
	closed phase = iota
	open
	halfOpen
)

// period is one stay in a phase; a new one is made for each change.
type period struct {
	phase    phase
	since    time.Time
	failures atomic.Int32
	probes   atomic.Int32
	good     atomic.Int32
}

// Settings of a Breaker.
type Settings struct {
	Failures  int32
	Cooldown  time.Duration
	MaxProbes int32
	Good      int32
}

// Breaker guards one backend.
type Breaker struct {
	set Settings
	cur atomic.Pointer[period]
	now func() time.Time

	trips atomic.Int64
}

// New returns a closed breaker.
func New(set Settings) *Breaker {
	b := &Breaker{set: set, now: time.Now}
	b.cur.Store(&period{phase: closed, since: b.now()})
	return b
}

func (b *Breaker) shift(from *period, to phase) {
	if b.cur.CompareAndSwap(from, &period{phase: to, since: b.now()}) && to == open {
		b.trips.Add(1)
	}
}

// admit returns the period a call belongs to.
func (b *Breaker) admit() (*period, error) {
	p := b.cur.Load()
	if p.phase == open {
		if b.now().Sub(p.since) < b.set.Cooldown {
			return nil, ErrOpen
		}
		b.shift(p, halfOpen)
		p = b.cur.Load()
	}
	switch p.phase {
	case closed:
		return p, nil
	case halfOpen:
		if p.probes.Add(1) > b.set.MaxProbes {
			p.probes.Add(-1)
			return nil, ErrOpen
		}
		return p, nil
	}
	return nil, ErrOpen
}

// settle counts a result in the period in which the call started.
func (b *Breaker) settle(p *period, err error) {
	if p.phase == halfOpen {
		p.probes.Add(-1)
		if err != nil {
			b.shift(p, open)
			return
		}
		if p.good.Add(1) >= b.set.Good {
			b.shift(p, closed)
		}
		return
	}
	if err == nil {
		p.failures.Store(0)
		return
	}
	if p.failures.Add(1) >= b.set.Failures {
		b.shift(p, open)
	}
}

// Do calls fn unless the backend is down.
func (b *Breaker) Do(ctx context.Context, fn func(context.Context) error) error {
	p, err := b.admit()
	if err != nil {
		return err
	}
	err = fn(ctx)
	if errors.Is(err, context.Canceled) {
		if p.phase == halfOpen {
			p.probes.Add(-1)
		}
		return err
	}
	b.settle(p, err)
	return err
}

// Up reports whether calls pass normally.
func (b *Breaker) Up() bool { return b.cur.Load().phase == closed }

// Trips returns how often the backend was found down.
func (b *Breaker) Trips() int64 { return b.trips.Load() }

// Group has one breaker for each backend.
type Group struct {
	set Settings
	mu  sync.RWMutex
	all map[string]*Breaker
}

// NewGroup returns an empty group.
func NewGroup(set Settings) *Group {
	return &Group{set: set, all: make(map[string]*Breaker)}
}

// Get returns the breaker of a backend.
func (g *Group) Get(backend string) *Breaker {
	g.mu.RLock()
	b, ok := g.all[backend]
	g.mu.RUnlock()
	if ok {
		return b
	}
	fresh := New(g.set)
	g.mu.Lock()
	defer g.mu.Unlock()
	if b, ok := g.all[backend]; ok {
		return b
	}
	g.all[backend] = fresh
	return fresh
}

// Check pings every backend which is not up, until ctx is done.
func (g *Group) Check(ctx context.Context, every time.Duration, ping func(ctx context.Context, backend string) error) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		down := map[string]*Breaker{}
		g.mu.RLock()
		for name, b := range g.all {
			if !b.Up() {
				down[name] = b
			}
		}
		g.mu.RUnlock()
		for name, b := range down {
			_ = b.Do(ctx, func(ctx context.Context) error { return ping(ctx, name) })
		}
	}
}
