// Package replica is the state machine side of a replicated key-value store:
// it applies the committed log and serves linearizable reads.
package replica

import (
	"context"
	"errors"
	"sync"
)

var (
	// ErrNotLeader is returned for reads on a replica that does not lead.
	ErrNotLeader = errors.New("replica: not the leader")
	// ErrNotReady is returned while a new leader has not committed anything.
	ErrNotReady = errors.New("replica: leader has not committed in its term")
	// ErrStopped is returned for reads on a replica that has been stopped.
	ErrStopped = errors.New("replica: stopped")
)

// Entry is one committed command.
type Entry struct {
	Index uint64
	Term  uint64
	Key   string
	Value string
}

// Quorum confirms with a majority of the peers, after the call, that this
// replica still leads the given term.
type Quorum interface {
	Confirm(ctx context.Context, term uint64) error
}

// Replica is safe for concurrent use. Commit is called by the consensus
// goroutine, which acknowledges a write after its Commit; a goroutine of the
// replica applies the entries in order.
type Replica struct {
	quorum  Quorum
	queue   chan []Entry
	stopped <-chan struct{}

	mu         sync.Mutex
	leading    bool
	term       uint64
	commit     uint64 // index of the latest committed entry
	commitTerm uint64 // its term

	applyMu sync.RWMutex
	data    map[string]string
	applied uint64        // index of the latest applied entry; only grows
	more    chan struct{} // closed and replaced when applied grows
}

// New returns a follower without data and starts its applier, which ends with
// the context.
func New(ctx context.Context, q Quorum) *Replica {
	r := &Replica{
		quorum:  q,
		queue:   make(chan []Entry, 64),
		stopped: ctx.Done(),
		data:    make(map[string]string),
		more:    make(chan struct{}),
	}
	go r.applier()
	return r
}

// SetRole is called when the replica's term or role changes.
func (r *Replica) SetRole(term uint64, leading bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.term, r.leading = term, leading
}

// Commit takes newly committed entries, in order. It blocks while the applier
// is behind.
func (r *Replica) Commit(entries []Entry) {
	if len(entries) == 0 {
		return
	}
	last := entries[len(entries)-1]
	r.mu.Lock()
	r.commit, r.commitTerm = last.Index, last.Term
	r.mu.Unlock()
	select {
	case r.queue <- entries:
	case <-r.stopped:
	}
}

// Get returns the value of key. The result reflects every write that was
// acknowledged before the call.
func (r *Replica) Get(ctx context.Context, key string) (string, bool, error) {
	term, index, err := r.readIndex()
	if err != nil {
		return "", false, err
	}
	if err := r.quorum.Confirm(ctx, term); err != nil {
		return "", false, err
	}
	if err := r.await(ctx, index); err != nil {
		return "", false, err
	}
	value, ok := r.lookup(key)
	return value, ok, nil
}

// readIndex returns the replica's term and the index a read has to wait for.
func (r *Replica) readIndex() (term, index uint64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.leading {
		return 0, 0, ErrNotLeader
	}
	if r.commitTerm != r.term {
		return 0, 0, ErrNotReady
	}
	return r.term, r.commit, nil
}

// await blocks until the entry at index has been applied.
func (r *Replica) await(ctx context.Context, index uint64) error {
	for {
		applied, more := r.progress()
		if applied >= index {
			return nil
		}
		select {
		case <-more:
		case <-r.stopped:
			return ErrStopped
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// progress returns the applied index and a channel that is closed when it grows.
func (r *Replica) progress() (uint64, <-chan struct{}) {
	r.applyMu.RLock()
	defer r.applyMu.RUnlock()
	return r.applied, r.more
}

func (r *Replica) lookup(key string) (string, bool) {
	r.applyMu.RLock()
	defer r.applyMu.RUnlock()
	value, ok := r.data[key]
	return value, ok
}

func (r *Replica) applier() {
	for {
		select {
		case <-r.stopped:
			return
		case entries := <-r.queue:
			r.apply(entries)
		}
	}
}

// apply executes entries and wakes the reads that wait for them.
func (r *Replica) apply(entries []Entry) {
	r.applyMu.Lock()
	defer r.applyMu.Unlock()
	for _, e := range entries {
		r.data[e.Key] = e.Value
		r.applied = e.Index
	}
	close(r.more)
	r.more = make(chan struct{})
}
