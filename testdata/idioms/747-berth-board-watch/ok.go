// Package berths publishes which ship lies at which berth of a harbour.
package berths

import (
	"context"
	"log/slog"
	"sync"
)

// Berth is the state of a place; Version grows with each change.
type Berth struct {
	Name    string
	Ship    string
	Version uint64
}

// registry is the table of berths.
type registry struct {
	mu sync.RWMutex
	m  map[string]Berth
}

func (r *registry) assign(name, ship string) Berth {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := Berth{Name: name, Ship: ship, Version: r.m[name].Version + 1}
	r.m[name] = b
	return b
}

func (r *registry) snapshot() []Berth {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make([]Berth, 0, len(r.m))
	for _, b := range r.m {
		out = append(out, b)
	}
	return out
}

// view is what a display shows.
type view struct {
	mu     sync.Mutex
	seen   map[string]Berth
	notify func(Berth)
	closed bool
}

// merge shows a state unless a newer one is shown already.
func (v *view) merge(b Berth) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed || b.Version <= v.seen[b.Name].Version {
		return
	}
	v.seen[b.Name] = b
	v.notify(b)
}

func (v *view) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
}

// Board connects the registry with displays.
type Board struct {
	reg registry
	log *slog.Logger

	mu    sync.Mutex
	views map[*view]struct{}
}

// NewBoard returns a board without berths.
func NewBoard(log *slog.Logger) *Board {
	return &Board{log: log, reg: registry{m: make(map[string]Berth)}, views: make(map[*view]struct{})}
}

// Assign is called by pilots; an empty ship frees the berth.
func (b *Board) Assign(name, ship string) {
	st := b.reg.assign(name, ship)
	for _, v := range b.watchers() {
		v.merge(st)
	}
}

func (b *Board) watchers() []*view {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]*view, 0, len(b.views))
	for v := range b.views {
		out = append(out, v)
	}
	return out
}

func (b *Board) register(v *view) func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.views[v] = struct{}{}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.views, v)
	}
}

// Watch calls notify with the state of every berth and then with each change,
// until ctx is done.
func (b *Board) Watch(ctx context.Context, notify func(Berth)) error {
	v := &view{seen: make(map[string]Berth), notify: notify}
	remove := b.register(v)
	defer v.close()
	defer remove()
	current := b.reg.snapshot()
	b.log.Info("display connected", "berths", len(current))
	for _, st := range current {
		v.merge(st)
	}
	<-ctx.Done()
	return ctx.Err()
}
