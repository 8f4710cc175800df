// Package readpool routes read-only queries to replicas and slows writers
// down when a replica can not keep up. The replication connections report
// progress into the pool; query and write sessions ask it.
package readpool

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrNoReplica is returned when no replica has reached the position.
	ErrNoReplica = errors.New("readpool: no replica is fresh enough")
	// ErrUnknown is returned for a replica that is not configured.
	ErrUnknown = errors.New("readpool: unknown replica")
)

// LSN is a position in the write-ahead log, in bytes.
type LSN uint64

// Replica holds what the replication connection of one replica told. All
// methods may be called concurrently.
type Replica struct {
	Name string
	Addr string

	mu       sync.RWMutex
	received LSN // end of the log the replica has fetched
	applied  LSN // end of the log the replica has replayed, never past received
}

// Progress records a status message of the replica. Messages may be repeated
// and may overtake each other; positions only move forward.
func (r *Replica) Progress(received, applied LSN) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received = max(r.received, received)
	r.applied = max(r.applied, min(applied, r.received))
}

// Received returns the end of the log that the replica has fetched.
func (r *Replica) Received() LSN {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.received
}

// Applied returns the end of the log that the replica has replayed.
func (r *Replica) Applied() LSN {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.applied
}

// ReplayLag returns how many bytes were fetched but not yet replayed.
func (r *Replica) ReplayLag() uint64 {
	received := r.Received()
	return uint64(received - r.Applied())
}

// Throttle says how writers are slowed down.
type Throttle struct {
	FreeLag    uint64        // lag that costs nothing
	BytesPerMS uint64        // replay speed that is assumed for the rest
	MaxDelay   time.Duration // the longest pause of one write
}

// delay returns the pause for a lag.
func (t Throttle) delay(lag uint64) time.Duration {
	if lag <= t.FreeLag {
		return 0
	}
	ms := (lag - t.FreeLag) / t.BytesPerMS
	if limit := uint64(t.MaxDelay / time.Millisecond); ms > limit {
		return t.MaxDelay
	}
	return time.Duration(ms) * time.Millisecond
}

// Pool is the set of replicas, which is fixed when the pool is made.
type Pool struct {
	throttle Throttle
	byName   map[string]*Replica
	order    []*Replica
	next     atomic.Uint64
}

// New makes a pool of the replicas in addrs, given by name.
func New(addrs map[string]string, throttle Throttle) *Pool {
	if throttle.BytesPerMS == 0 {
		throttle.BytesPerMS = 1
	}
	p := &Pool{throttle: throttle, byName: make(map[string]*Replica, len(addrs))}
	for name, addr := range addrs {
		r := &Replica{Name: name, Addr: addr}
		p.byName[name] = r
		p.order = append(p.order, r)
	}
	sort.Slice(p.order, func(i, j int) bool { return p.order[i].Name < p.order[j].Name })
	return p
}

// Report is called by the connection of a replica for every status message.
func (p *Pool) Report(name string, received, applied LSN) error {
	r, ok := p.byName[name]
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	r.Progress(received, applied)
	return nil
}

// Pick returns a replica that has replayed the log up to min, so that a
// session reads its own writes.
func (p *Pool) Pick(min LSN) (*Replica, error) {
	start := p.next.Add(1)
	for i := range p.order {
		r := p.order[(start+uint64(i))%uint64(len(p.order))]
		if r.Applied() >= min {
			return r, nil
		}
	}
	return nil, ErrNoReplica
}

// BeforeWrite is called by a session before each write transaction. It pauses
// according to the replica that is furthest behind.
func (p *Pool) BeforeWrite(ctx context.Context) error {
	var worst uint64
	for _, r := range p.order {
		worst = max(worst, r.ReplayLag())
	}
	d := p.throttle.delay(worst)
	if d == 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
