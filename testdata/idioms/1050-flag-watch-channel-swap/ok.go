// Package flagwatch lets long-polling clients wait for a change of flags.
package flagwatch

import (
	"context"
	"maps"
	"sync"
)

// Snapshot is the state of all flags at a version.
type Snapshot struct {
	Version uint64
	Flags   map[string]bool // not to be modified
}

// Hub holds the current snapshot.
type Hub struct {
	mu      sync.Mutex
	snap    Snapshot
	changed chan struct{} // closed when snap is replaced
}

// NewHub returns a hub at version zero.
func NewHub() *Hub {
	return &Hub{changed: make(chan struct{})}
}

// Set switches one flag.
func (h *Hub) Set(name string, on bool) uint64 {
	h.mu.Lock()
	if cur, ok := h.snap.Flags[name]; ok && cur == on {
		v := h.snap.Version
		h.mu.Unlock()
		return v
	}
	next := make(map[string]bool, len(h.snap.Flags)+1)
	maps.Copy(next, h.snap.Flags)
	next[name] = on
	h.snap = Snapshot{Version: h.snap.Version + 1, Flags: next}
	v := h.snap.Version
	ch := h.changed
	h.changed = make(chan struct{})
	h.mu.Unlock()

	close(ch)
	return v
}

func (h *Hub) current() (Snapshot, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.snap, h.changed
}

// Current returns the current snapshot.
func (h *Hub) Current() Snapshot {
	s, _ := h.current()
	return s
}

// Next waits for a snapshot newer than version.
func (h *Hub) Next(ctx context.Context, version uint64) (Snapshot, error) {
	for {
		s, changed := h.current()
		if s.Version > version {
			return s, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Snapshot{}, ctx.Err()
		}
	}
}

// Follow calls f with every snapshot it gets hold of; it may skip some when
// they follow each other quickly, but never the last one.
func (h *Hub) Follow(ctx context.Context, f func(Snapshot)) error {
	var seen uint64
	for {
		s, err := h.Next(ctx, seen)
		if err != nil {
			return err
		}
		f(s)
		seen = s.Version
	}
}
