// Package watch offers long polling for configuration revisions.
package watch

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Snapshot is the content at a revision.
type Snapshot struct {
	Revision uint64            `json:"revision"`
	Keys     map[string]string `json:"keys"`
}

type broadcast struct {
	sync.Mutex
	ch chan struct{}
}

func (b *broadcast) next() <-chan struct{} {
	b.Lock()
	defer b.Unlock()
	if b.ch == nil {
		b.ch = make(chan struct{})
	}
	return b.ch
}

func (b *broadcast) fire() {
	b.Lock()
	defer b.Unlock()
	if b.ch != nil {
		close(b.ch)
		b.ch = nil
	}
}

// Hub holds the newest snapshot and wakes those who wait for it.
type Hub struct {
	mu   sync.RWMutex
	snap Snapshot

	changed broadcast
}

// NewHub returns a hub at revision zero.
func NewHub() *Hub {
	return &Hub{snap: Snapshot{Keys: map[string]string{}}}
}

func (h *Hub) newer(after uint64) (Snapshot, bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.snap, h.snap.Revision > after
}

// Publish sets and removes keys and returns the new revision.
func (h *Hub) Publish(set map[string]string, remove ...string) uint64 {
	h.mu.Lock()
	keys := maps.Clone(h.snap.Keys)
	maps.Copy(keys, set)
	for _, k := range remove {
		delete(keys, k)
	}
	h.snap = Snapshot{Revision: h.snap.Revision + 1, Keys: keys}
	rev := h.snap.Revision
	h.mu.Unlock()

	h.changed.fire()
	return rev
}

// Wait returns a snapshot that is newer than the given revision.
func (h *Hub) Wait(ctx context.Context, after uint64) (Snapshot, error) {
	for {
		snap, ok := h.newer(after)
		if ok {
			return snap, nil
		}
		select {
		case <-h.changed.next():
		case <-ctx.Done():
			return snap, ctx.Err()
		}
	}
}

// Server answers long polls.
type Server struct {
	hub  *Hub
	hold time.Duration
}

// NewServer returns a server that holds a poll at most so long.
func NewServer(hub *Hub, hold time.Duration) *Server {
	return &Server{hub: hub, hold: hold}
}

// ServeHTTP handles GET /watch?after=N.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var after uint64
	if v := r.URL.Query().Get("after"); v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			http.Error(w, "bad revision", http.StatusBadRequest)
			return
		}
		after = n
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.hold)
	defer cancel()
	snap, err := s.hub.Wait(ctx, after)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		w.WriteHeader(http.StatusNotModified)
		return
	case err != nil:
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(snap)
}
