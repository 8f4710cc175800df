// Package a replicates a log to one follower.
package a

import (
	"context"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Entry is a slot of the log.
type Entry struct {
	Index, Term uint64
	Data        []byte
}

// Log gives entries from an index on, at most max.
type Log interface {
	From(index uint64, max int) []Entry
}

// Peer is the follower. Append returns its last index; ok is false if the
// entries do not fit to its log.
type Peer interface {
	Append(ctx context.Context, entries []Entry) (last uint64, ok bool, err error)
}

const maxBatch = 64

// Progress is what the status page shows.
type Progress struct {
	Next, Match uint64
	Failures    int
	LastContact time.Time
}

// Replicator brings a follower up to date.
type Replicator struct {
	name string
	log  Log
	peer Peer
	kick chan struct{}

	mu sync.RWMutex // written in the run goroutine only
	pr Progress

	batches atomic.Int64
	entries atomic.Int64
}

// Start runs a replicator until the context ends.
func Start(ctx context.Context, name string, l Log, p Peer, next uint64) *Replicator {
	r := &Replicator{name: name, log: l, peer: p, kick: make(chan struct{}, 1)}
	r.pr.Next = max(next, 1)
	go r.run(ctx)
	return r
}

// Kick tells the replicator that the log has grown.
func (r *Replicator) Kick() {
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

func (r *Replicator) run(ctx context.Context) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.kick:
		case <-tick.C:
		}
		for r.send(ctx) {
		}
	}
}

// send ships one batch and reports whether there may be more. It belongs to
// the run goroutine.
func (r *Replicator) send(ctx context.Context) bool {
	r.mu.RLock()
	pr := r.pr
	r.mu.RUnlock()

	batch := r.log.From(pr.Next, maxBatch)
	if len(batch) == 0 || ctx.Err() != nil {
		return false
	}
	last, ok, err := r.peer.Append(ctx, batch)
	switch {
	case err != nil:
		pr.Failures++
		log.Printf("replicate: %s: attempt %d: %v", r.name, pr.Failures, err)
	case !ok:
		pr.Next = max(1, min(last+1, pr.Next-1))
		pr.LastContact = time.Now()
	default:
		pr.Match = batch[len(batch)-1].Index
		pr.Next = pr.Match + 1
		pr.Failures = 0
		pr.LastContact = time.Now()
		r.batches.Add(1)
		r.entries.Add(int64(len(batch)))
	}

	r.mu.Lock()
	r.pr = pr
	r.mu.Unlock()
	return err == nil && ok
}

// Progress is a snapshot for the status page and the commit rule.
func (r *Replicator) Progress() Progress {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.pr
}

// Stats returns the counters.
func (r *Replicator) Stats() (batches, entries int64) {
	return r.batches.Load(), r.entries.Load()
}
