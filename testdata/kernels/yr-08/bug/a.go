// Package counter is an operation-based replicated counter (CRDT).
package counter

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"sync"
)

// Op is an increment made at one replica. Seq numbers are consecutive per origin.
type Op struct {
	Origin string `json:"origin"`
	Seq    uint64 `json:"seq"`
	Key    string `json:"key"`
	Delta  int64  `json:"delta"`
}

// State is shipped to joining replicas. A joiner asks its peers for all
// operations beyond Clock.
type State struct {
	Values map[string]int64  `json:"values"`
	Clock  map[string]uint64 `json:"clock"`
}

// Replica applies the operations of all peers. The causal broadcast layer
// feeds inbox; ops are applied by the goroutine in Run only.
type Replica struct {
	inbox chan Op

	mu     sync.RWMutex
	values map[string]int64
	clock  map[string]uint64
}

// Join builds a replica from the state of a peer.
func Join(st State) *Replica {
	r := &Replica{
		inbox:  make(chan Op, 128),
		values: make(map[string]int64),
		clock:  make(map[string]uint64),
	}
	maps.Copy(r.values, st.Values)
	maps.Copy(r.clock, st.Clock)
	return r
}

// Deliver is called by the peer connections.
func (r *Replica) Deliver(ctx context.Context, op Op) error {
	select {
	case r.inbox <- op:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run applies delivered operations until ctx ends.
func (r *Replica) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case op := <-r.inbox:
			if r.seen(op) {
				continue // redelivery
			}
			r.apply(op)
		}
	}
}

func (r *Replica) seen(op Op) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return op.Seq <= r.clock[op.Origin]
}

func (r *Replica) apply(op Op) {
	r.add(op.Key, op.Delta)
	r.advance(op.Origin, op.Seq)
}

func (r *Replica) add(key string, delta int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values[key] += delta
}

func (r *Replica) advance(origin string, seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock[origin] = seq
}

// Value returns the current value of key.
func (r *Replica) Value(key string) int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.values[key]
}

// State copies the replica for a joining peer.
func (r *Replica) State() State {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return State{Values: maps.Clone(r.values), Clock: maps.Clone(r.clock)}
}

// ServeState handles GET /state.
func (r *Replica) ServeState(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(r.State())
}
