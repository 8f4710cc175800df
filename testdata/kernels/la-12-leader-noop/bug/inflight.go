package raft

import (
	"net"
	"sync"
	"time"
)

// Inflight is used to track operations that are still in-flight
type inflight struct {
	sync.Mutex
	commitCh   chan *logFuture
	operations map[uint64]*operation
	stopCh     chan struct{}
}

type operation struct {
	future      *logFuture
	count       int
	votesNeeded int
}

func newInflight(commitCh chan *logFuture) *inflight {
	return &inflight{
		commitCh:   commitCh,
		operations: make(map[uint64]*operation),
		stopCh:     make(chan struct{}),
	}
}

// Start is used to mark a logFuture as being inflight
func (i *inflight) Start(l *logFuture, clusterSize int) {
	i.Lock()
	defer i.Unlock()
	i.operations[l.log.Index] = &operation{future: l, votesNeeded: clusterSize/2 + 1}
}

// Cancel is used to cancel all in-flight operations.
func (i *inflight) Cancel(err error) {
	// Close the channel first to unblock any pending commits
	close(i.stopCh)

	// Lock after close to avoid deadlock
	i.Lock()
	defer i.Unlock()
	for _, op := range i.operations {
		op.future.respond(err)
	}
	i.operations = make(map[uint64]*operation)
	close(i.commitCh)
}

// Commit is used by leader replication routines to indicate that
// a follower was finished commiting a log to disk.
func (i *inflight) Commit(index uint64) {
	i.Lock()
	defer i.Unlock()

	op, ok := i.operations[index]
	if !ok {
		// Ignore if not in the map, as it may be commited already
		return
	}
	op.count++
	if op.count >= op.votesNeeded {
		select {
		case i.commitCh <- op.future:
			delete(i.operations, index)
		case <-i.stopCh:
		}
	}
}

// replicate is a long running routine that is used to manage
// the process of replicating logs to our followers
func (r *Raft) replicate(peer net.Addr, in *inflight, stopCh chan struct{}, match uint64) {
	for {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-stopCh:
			return
		}
		last := r.lastLog.Load()
		for idx := match + 1; idx <= last; idx++ {
			in.Commit(idx)
		}
		match = max(match, last)
	}
}
