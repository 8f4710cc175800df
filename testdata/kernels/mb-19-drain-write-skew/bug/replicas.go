// Package replicas takes the replicas of a shard in and out of service.
package replicas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

var (
	// ErrUnknown is returned for replicas that are not in the set.
	ErrUnknown = errors.New("replicas: unknown replica")
	// ErrTooFew is returned when a drain would leave too few replicas.
	ErrTooFew = errors.New("replicas: too few would serve")
	// ErrState is returned when the replica is not in the state the step needs.
	ErrState = errors.New("replicas: wrong state")
)

// Status of a replica.
type Status string

const (
	Serving  Status = "serving"
	Draining Status = "draining"
	Drained  Status = "drained"
)

// Replica is one copy of the shard.
type Replica struct {
	ID string

	mu     sync.RWMutex
	status Status
	since  time.Time
}

// Status returns the present status.
func (r *Replica) Status() Status {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.status
}

// transition changes the status if it is from.
func (r *Replica) transition(from, to Status) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status != from {
		return fmt.Errorf("%w: %s is %s, not %s", ErrState, r.ID, r.status, from)
	}
	r.status, r.since = to, time.Now()
	return nil
}

// Mover moves the sessions away from a replica.
type Mover interface {
	MoveSessions(ctx context.Context, from string) error
}

// Set is all replicas of a shard; its members do not change.
type Set struct {
	minServing int
	mover      Mover
	replicas   map[string]*Replica
}

// NewSet returns a set in which all replicas serve.
func NewSet(minServing int, mover Mover, ids ...string) *Set {
	s := &Set{minServing: minServing, mover: mover, replicas: make(map[string]*Replica, len(ids))}
	for _, id := range ids {
		s.replicas[id] = &Replica{ID: id, status: Serving, since: time.Now()}
	}
	return s
}

func (s *Set) servingBesides(id string) int {
	n := 0
	for other, r := range s.replicas {
		if other != id && r.Status() == Serving {
			n++
		}
	}
	return n
}

// Drain begins to take a replica out of service; its sessions move in the background.
func (s *Set) Drain(ctx context.Context, id string) error {
	r, ok := s.replicas[id]
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	if n := s.servingBesides(id); n < s.minServing {
		return fmt.Errorf("%w: %d besides %s, need %d", ErrTooFew, n, id, s.minServing)
	}
	if err := r.transition(Serving, Draining); err != nil {
		return err
	}
	go s.finish(context.WithoutCancel(ctx), r)
	return nil
}

func (s *Set) finish(ctx context.Context, r *Replica) {
	if err := s.mover.MoveSessions(ctx, r.ID); err != nil {
		_ = r.transition(Draining, Serving)
		return
	}
	_ = r.transition(Draining, Drained)
}

// Restore puts a drained replica back into service.
func (s *Set) Restore(id string) error {
	r, ok := s.replicas[id]
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	return r.transition(Drained, Serving)
}

// HandleDrain is the admin endpoint for POST /drain?replica=ID.
func (s *Set) HandleDrain(w http.ResponseWriter, req *http.Request) {
	err := s.Drain(req.Context(), req.FormValue("replica"))
	switch {
	case errors.Is(err, ErrUnknown):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusConflict)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// HandleStatus lists the replicas.
func (s *Set) HandleStatus(w http.ResponseWriter, _ *http.Request) {
	out := make(map[string]Status, len(s.replicas))
	for id, r := range s.replicas {
		out[id] = r.Status()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}
