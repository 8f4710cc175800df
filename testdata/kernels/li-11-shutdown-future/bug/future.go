package raft

import "time"

// Future is used to represent an action that may occur in the future.
type Future interface {
	// Error blocks until the future arrives and then
	// returns the error status of the future.
	Error() error
}

// ApplyFuture is used for Apply() and can returns the FSM response.
type ApplyFuture interface {
	Future
	Response() interface{}
}

// errorFuture is used to return a static error.
type errorFuture struct {
	err error
}

func (e errorFuture) Error() error {
	return e.err
}

func (e errorFuture) Response() interface{} {
	return nil
}

// logFuture is used to apply a log entry and waits until
// the log is considered committed.
type logFuture struct {
	data     []byte
	response interface{}
	errCh    chan error
}

func (l *logFuture) init() {
	l.errCh = make(chan error, 1)
}

func (l *logFuture) Error() error {
	return <-l.errCh
}

func (l *logFuture) Response() interface{} {
	return l.response
}

func (l *logFuture) respond(err error) {
	l.errCh <- err
	close(l.errCh)
}

type shutdownFuture struct {
	raft *Raft
}

func (s *shutdownFuture) Error() error {
	for s.raft.getRoutines() > 0 {
		time.Sleep(5 * time.Millisecond)
	}
	if closeable, ok := s.raft.trans.(WithClose); ok {
		closeable.Close()
	}
	return nil
}
