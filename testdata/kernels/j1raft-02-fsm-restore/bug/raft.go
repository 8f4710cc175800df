// Package raft feeds a state machine from a log and from snapshots.
package raft

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrRaftShutdown is returned when operations are requested against an
// inactive Raft.
var ErrRaftShutdown = errors.New("raft is already shutdown")

// Log entries are replicated to all members.
type Log struct {
	Index uint64
	Data  []byte
}

// SnapshotStore keeps snapshots.
type SnapshotStore interface {
	Save(index uint64, r io.Reader) (id string, err error)
	Open(id string) (io.ReadCloser, error)
}

// LogStore keeps the log; it commits what it stores.
type LogStore interface{ StoreLog(*Log) error }

type deferError struct{ errCh chan error }

func (d *deferError) init()             { d.errCh = make(chan error, 1) }
func (d *deferError) respond(err error) { d.errCh <- err }

type logFuture struct {
	deferError
	log      Log
	response any
}

type userRestoreFuture struct {
	deferError
	index  uint64
	reader io.Reader
}

// Raft is the leader of a cluster.
type Raft struct {
	fsm       FSM
	logs      LogStore
	snapshots SnapshotStore
	lastIndex uint64 // used by the main goroutine

	applyCh       chan *logFuture
	userRestoreCh chan *userRestoreFuture

	// fsmCommitCh is used to trigger async application of logs to the fsm
	fsmCommitCh chan commitTuple

	// fsmRestoreCh is used to trigger a restore from snapshot
	fsmRestoreCh chan *restoreFuture

	shutdownCh chan struct{}
	routines   sync.WaitGroup
}

// NewRaft starts the goroutines of a leader.
func NewRaft(fsm FSM, logs LogStore, snaps SnapshotStore) *Raft {
	r := &Raft{
		fsm:           fsm,
		logs:          logs,
		snapshots:     snaps,
		applyCh:       make(chan *logFuture),
		userRestoreCh: make(chan *userRestoreFuture),
		fsmCommitCh:   make(chan commitTuple, 128),
		fsmRestoreCh:  make(chan *restoreFuture),
		shutdownCh:    make(chan struct{}),
	}
	r.routines.Add(2)
	go r.leaderLoop()
	go r.runFSM()
	return r
}

// Apply applies a command to the FSM and returns its answer.
func (r *Raft) Apply(cmd []byte) (any, error) {
	future := &logFuture{log: Log{Data: cmd}}
	future.init()
	select {
	case r.applyCh <- future:
	case <-r.shutdownCh:
		return nil, ErrRaftShutdown
	}
	if err := r.wait(&future.deferError); err != nil {
		return nil, err
	}
	return future.response, nil
}

// Restore replaces the state of the cluster by an external snapshot.
func (r *Raft) Restore(index uint64, reader io.Reader) error {
	restore := &userRestoreFuture{index: index, reader: reader}
	restore.init()
	select {
	case r.userRestoreCh <- restore:
	case <-r.shutdownCh:
		return ErrRaftShutdown
	}
	return r.wait(&restore.deferError)
}

// wait returns the answer to a request that was accepted.
func (r *Raft) wait(d *deferError) error {
	select {
	case err := <-d.errCh:
		return err
	case <-r.shutdownCh:
		return ErrRaftShutdown
	}
}

// Shutdown stops the node. It must be called once.
func (r *Raft) Shutdown() {
	close(r.shutdownCh)
	r.routines.Wait()
}

func (r *Raft) leaderLoop() {
	defer r.routines.Done()
	for {
		select {
		case future := <-r.applyCh:
			future.log.Index = r.lastIndex + 1
			if err := r.logs.StoreLog(&future.log); err != nil {
				future.respond(err)
				continue
			}
			r.lastIndex++
			r.processLog(&future.log, future)
		case future := <-r.userRestoreCh:
			future.respond(r.restoreUserSnapshot(future.index, future.reader))
		case <-r.shutdownCh:
			return
		}
	}
}

// processLog is invoked to process the application of a committed log entry.
func (r *Raft) processLog(l *Log, future *logFuture) {
	select {
	case r.fsmCommitCh <- commitTuple{l, future}:
	case <-r.shutdownCh:
	}
}

// restoreUserSnapshot is used to manually consume an external snapshot, such
// as if restoring from a backup. We use an index that is higher than that of
// the snapshot and than ours, to leave a hole in the log.
func (r *Raft) restoreUserSnapshot(index uint64, reader io.Reader) error {
	lastIndex := max(r.lastIndex, index) + 1
	id, err := r.snapshots.Save(lastIndex, reader)
	if err != nil {
		return fmt.Errorf("failed to write snapshot: %w", err)
	}

	// Restore the snapshot into the FSM.
	fsm := &restoreFuture{id: id}
	fsm.init()
	select {
	case r.fsmRestoreCh <- fsm:
	case <-r.shutdownCh:
		return ErrRaftShutdown
	}
	if err := r.wait(&fsm.deferError); err != nil {
		return err
	}
	r.lastIndex = lastIndex
	return nil
}
