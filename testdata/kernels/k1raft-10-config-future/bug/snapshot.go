package raft

import (
	"fmt"
	"time"
)

// FSM is the replicated state machine.
type FSM interface {
	Apply(index uint64, data []byte)
	Snapshot() ([]byte, error)
}

// SnapshotStore keeps snapshots.
type SnapshotStore interface {
	Create(index uint64, c Configuration, configIndex uint64, data []byte) (id string, err error)
}

// runFSM applies the committed entries.
func (r *Raft) runFSM() {
	var lastIndex uint64
	for {
		select {
		case c := <-r.fsmMutateCh:
			if c.Configuration == nil {
				r.fsm.Apply(c.Index, c.Data)
			}
			lastIndex = c.Index
		case req := <-r.fsmSnapshotCh:
			if lastIndex == 0 {
				req.respond(ErrNothingNewToSnapshot)
				continue
			}
			data, err := r.fsm.Snapshot()
			req.index, req.snapshot = lastIndex, data
			req.respond(err)
		case <-r.shutdownCh:
			return
		}
	}
}

// runSnapshots is a long running goroutine used to manage taking
// new snapshots of the FSM.
func (r *Raft) runSnapshots() {
	for {
		select {
		case <-time.After(r.conf.SnapshotInterval):
			// Check if we should snapshot
			if r.lastIndex.Load()-r.lastSnapshot.Load() < r.conf.SnapshotThreshold {
				continue
			}
			// Trigger a snapshot
			if _, err := r.takeSnapshot(); err != nil {
				r.conf.Logger.Printf("failed to take snapshot: %v", err)
			}

		case <-r.shutdownCh:
			return
		}
	}
}

// takeSnapshot is used to take a new snapshot. This must only be called from
// the snapshot thread, never the main thread.
func (r *Raft) takeSnapshot() (string, error) {
	// Create a request for the FSM to perform a snapshot.
	snapReq := &reqSnapshotFuture{}
	snapReq.init()

	// Wait for dispatch or shutdown.
	select {
	case r.fsmSnapshotCh <- snapReq:
	case <-r.shutdownCh:
		return "", ErrRaftShutdown
	}
	if err := snapReq.Error(); err != nil {
		return "", fmt.Errorf("failed to start snapshot: %w", err)
	}

	// Make a request for the configurations and extract the committed info.
	configReq := &configurationsFuture{}
	configReq.init()
	select {
	case r.configurationsCh <- configReq:
	case <-r.shutdownCh:
		return "", ErrRaftShutdown
	}
	if err := configReq.Error(); err != nil {
		return "", err
	}
	committed := configReq.configurations.committed
	committedIndex := configReq.configurations.committedIndex

	// We don't support snapshots while there's a config change outstanding.
	if snapReq.index < committedIndex {
		return "", fmt.Errorf("cannot take snapshot now, have applied %v of %v", snapReq.index, committedIndex)
	}

	// Create a new snapshot.
	id, err := r.snapshots.Create(snapReq.index, committed, committedIndex, snapReq.snapshot)
	if err != nil {
		return "", fmt.Errorf("failed to create snapshot: %v", err)
	}
	// Update the last stable snapshot info.
	r.lastSnapshot.Store(snapReq.index)
	return id, nil
}
