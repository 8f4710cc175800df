// Package fanout distributes market data to subscribers through rings that
// are used again and again.
package fanout

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const ringSize = 4096

// Tick is a trade.
type Tick struct {
	Symbol string
	Price  int64
	Size   int64
	At     time.Time
}

// ring is the queue of a subscriber. It goes back to the free list when the
// last user puts it down.
type ring struct {
	users atomic.Int32

	mu    sync.Mutex
	ticks []Tick
	lost  int
	wake  chan struct{}
}

func (r *ring) add(t Tick) {
	r.mu.Lock()
	if len(r.ticks) == ringSize {
		r.lost++
	} else {
		r.ticks = append(r.ticks, t)
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *ring) drain(into []Tick) []Tick {
	r.mu.Lock()
	defer r.mu.Unlock()
	into = append(into[:0], r.ticks...)
	r.ticks = r.ticks[:0]
	return into
}

func (r *ring) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ticks, r.lost = r.ticks[:0], 0
}

// Feed is the distributor.
type Feed struct {
	log *slog.Logger

	mu   sync.RWMutex
	subs map[string][]*ring

	freeMu sync.Mutex
	free   []*ring
}

// New returns a feed without subscribers.
func New(log *slog.Logger) *Feed {
	return &Feed{log: log, subs: make(map[string][]*ring)}
}

func (f *Feed) obtain() *ring {
	f.freeMu.Lock()
	defer f.freeMu.Unlock()
	var r *ring
	if n := len(f.free); n > 0 {
		r, f.free = f.free[n-1], f.free[:n-1]
	} else {
		r = &ring{ticks: make([]Tick, 0, ringSize), wake: make(chan struct{}, 1)}
	}
	r.users.Store(1)
	return r
}

func (f *Feed) put(r *ring) {
	if r.users.Add(-1) > 0 {
		return
	}
	r.clear()
	f.freeMu.Lock()
	defer f.freeMu.Unlock()
	f.free = append(f.free, r)
}

// pick returns the rings of a symbol; each is to be put down again.
func (f *Feed) pick(symbol string) []*ring {
	f.mu.RLock()
	defer f.mu.RUnlock()
	rs := make([]*ring, len(f.subs[symbol]))
	copy(rs, f.subs[symbol])
	for _, r := range rs {
		r.users.Add(1)
	}
	return rs
}

// Publish hands a tick to the subscribers of its symbol.
func (f *Feed) Publish(t Tick) {
	for _, r := range f.pick(t.Symbol) {
		r.add(t)
		f.put(r)
	}
}

func (f *Feed) attach(r *ring, symbol string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subs[symbol] = append(f.subs[symbol], r)
}

func (f *Feed) detach(r *ring, symbol string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	kept := make([]*ring, 0, len(f.subs[symbol]))
	for _, o := range f.subs[symbol] {
		if o != r {
			kept = append(kept, o)
		}
	}
	f.subs[symbol] = kept
}

// Follow calls deliver with batches of ticks until ctx is done or deliver
// fails.
func (f *Feed) Follow(ctx context.Context, symbol string, deliver func([]Tick) error) error {
	r := f.obtain()
	defer f.put(r)
	f.attach(r, symbol)
	defer f.detach(r, symbol)
	var batch []Tick
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.wake:
		}
		batch = r.drain(batch)
		if len(batch) == 0 {
			continue
		}
		if err := deliver(batch); err != nil {
			f.log.Warn("subscriber left", "symbol", symbol, "err", err)
			return err
		}
	}
}
