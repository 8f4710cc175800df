// Package placement takes replicas out of service without losing the quorum.
package placement

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// ErrQuorum is returned when too few replicas would be left.
var ErrQuorum = errors.New("placement: drain would lose the quorum")

// Mover moves the leases and clients off a replica.
type Mover interface {
	MoveOff(ctx context.Context, r *Replica) error
}

// Group is the set of replicas of a range.
type Group struct {
	quorum int
	mover  Mover

	mu       sync.RWMutex
	replicas map[string]*Replica
}

// NewGroup returns a group that needs quorum serving replicas.
func NewGroup(quorum int, m Mover) *Group {
	return &Group{quorum: quorum, mover: m, replicas: make(map[string]*Replica)}
}

// Add adds a serving replica.
func (g *Group) Add(id, host string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.replicas[id] = &Replica{ID: id, Host: host, lastSeen: time.Now()}
}

func (g *Group) get(id string) (*Replica, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	r, ok := g.replicas[id]
	if !ok {
		return nil, fmt.Errorf("placement: no replica %s", id)
	}
	return r, nil
}

func (g *Group) othersServing(id string) int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	n := 0
	for _, r := range g.replicas {
		if r.ID != id && r.serving() {
			n++
		}
	}
	return n
}

// Drain takes a replica out of service. The move goes on in the background.
func (g *Group) Drain(ctx context.Context, id string) error {
	r, err := g.get(id)
	if err != nil {
		return err
	}
	if n := g.othersServing(id); n < g.quorum {
		return fmt.Errorf("%w: %d left, need %d", ErrQuorum, n, g.quorum)
	}
	if err := r.beginDrain(); err != nil {
		return err
	}
	go func() {
		if err := g.mover.MoveOff(context.WithoutCancel(ctx), r); err != nil {
			slog.Error("placement: drain failed", "replica", id, "err", err)
			r.endDrain(Serving)
			return
		}
		r.endDrain(Drained)
	}()
	return nil
}

// Heartbeat is called when a replica reports.
func (g *Group) Heartbeat(id string) error {
	r, err := g.get(id)
	if err != nil {
		return err
	}
	r.seen(time.Now())
	return nil
}

// Expire marks silent replicas.
func (g *Group) Expire(timeout time.Duration) {
	now := time.Now()
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, r := range g.replicas {
		r.expire(now, timeout)
	}
}

// ServeHTTP serves POST /drain?replica=id.
func (g *Group) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	err := g.Drain(req.Context(), req.FormValue("replica"))
	switch {
	case errors.Is(err, ErrQuorum):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}
