package raft

import (
	"fmt"
	"io"
)

// FSM is the state machine; its methods are called from one goroutine.
type FSM interface {
	// Apply log is invoked once a log entry is committed.
	Apply(*Log) any
	// Restore replaces all state by that of a snapshot.
	Restore(io.ReadCloser) error
}

// commitTuple is a committed log with the future that waits for it.
type commitTuple struct {
	log    *Log
	future *logFuture
}

// restoreFuture is used for requesting an FSM to restore a snapshot.
type restoreFuture struct {
	deferError
	id string
}

// runFSM is a long running goroutine responsible for applying logs
// to the FSM. This is done async of other logs since we don't want
// the FSM to block our internal operations.
func (r *Raft) runFSM() {
	defer r.routines.Done()
	restore := func(req *restoreFuture) {
		// Open the snapshot
		source, err := r.snapshots.Open(req.id)
		if err != nil {
			req.respond(fmt.Errorf("failed to open snapshot %v: %w", req.id, err))
			return
		}

		// Attempt to restore
		err = r.fsm.Restore(source)
		source.Close()
		if err != nil {
			req.respond(fmt.Errorf("failed to restore snapshot %v: %w", req.id, err))
			return
		}
		req.respond(nil)
	}

	commit := func(req *commitTuple) {
		// Apply the log if a command
		resp := r.fsm.Apply(req.log)

		// Invoke the future if given
		if req.future != nil {
			req.future.response = resp
			req.future.respond(nil)
		}
	}

	for {
		select {
		case ptr := <-r.fsmMutateCh:
			switch req := ptr.(type) {
			case *commitTuple:
				commit(req)
			case *restoreFuture:
				restore(req)
			default:
				panic(fmt.Errorf("bad type passed to fsmMutateCh: %#v", ptr))
			}

		case <-r.shutdownCh:
			return
		}
	}
}
