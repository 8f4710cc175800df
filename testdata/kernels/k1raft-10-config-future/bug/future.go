package raft

import "errors"

var (
	ErrRaftShutdown         = errors.New("raft is already shutdown")
	ErrNothingNewToSnapshot = errors.New("nothing new to snapshot")
)

// Future is used to represent an action that may occur in the future.
type Future interface {
	// Error blocks until the future arrives and then returns the error status
	// of the future. It must not be called concurrently.
	Error() error
}

// deferError can be embedded to allow a future to provide an error.
type deferError struct {
	err       error
	errCh     chan error
	responded bool
}

func (d *deferError) init() { d.errCh = make(chan error, 1) }

func (d *deferError) Error() error {
	if d.err != nil {
		return d.err
	}
	d.err = <-d.errCh
	return d.err
}

func (d *deferError) respond(err error) {
	if d.errCh == nil || d.responded {
		return
	}
	d.errCh <- err
	close(d.errCh)
	d.responded = true
}

type shutdownFuture struct{ raft *Raft }

func (s *shutdownFuture) Error() error {
	if s.raft != nil {
		s.raft.routines.Wait()
	}
	return nil
}

// reqSnapshotFuture is used for requesting a snapshot start.
type reqSnapshotFuture struct {
	deferError
	// snapshot details provided by the FSM runner before responding
	index    uint64
	snapshot []byte
}

// configurationsFuture is used to retrieve the current configurations outside
// of the main thread.
type configurationsFuture struct {
	deferError
	configurations configurations
}
