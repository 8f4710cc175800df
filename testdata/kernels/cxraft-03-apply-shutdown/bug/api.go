// Package bug applies commands to a replicated log.
package bug

import (
	"errors"
	"sync"
	"time"
)

// Errors of futures.
var (
	ErrRaftShutdown   = errors.New("raft is already shutdown")
	ErrEnqueueTimeout = errors.New("timed out enqueuing operation")
)

// Log is one entry.
type Log struct {
	Index uint64
	Data  []byte
}

// Future is used to represent an action that may occur in the future.
type Future interface {
	Error() error
}

// errorFuture is used to return a static error.
type errorFuture struct {
	err error
}

func (e errorFuture) Error() error { return e.err }

// deferError can be embedded to allow a future
// to provide an error in the future.
type deferError struct {
	err       error
	errCh     chan error
	responded bool
}

func (d *deferError) init() {
	d.errCh = make(chan error, 1)
}

// Error is used by one goroutine, the caller of ApplyLog.
func (d *deferError) Error() error {
	if d.err != nil {
		return d.err
	}
	if d.errCh == nil {
		panic("waiting for response on nil channel")
	}
	d.err = <-d.errCh
	return d.err
}

// respond is used by the main loop.
func (d *deferError) respond(err error) {
	if d.responded {
		return
	}
	d.errCh <- err
	close(d.errCh)
	d.responded = true
}

type logFuture struct {
	deferError
	log Log
}

// FSM consumes committed entries.
type FSM interface {
	Apply(*Log) error
}

// Raft is one node.
type Raft struct {
	fsm     FSM
	applyCh chan *logFuture

	// lastIndex belongs to the main loop
	lastIndex uint64

	shutdown     bool
	shutdownCh   chan struct{}
	shutdownLock sync.Mutex

	routines sync.WaitGroup
}

// NewRaft returns a running node.
func NewRaft(fsm FSM, maxAppend int) *Raft {
	r := &Raft{
		fsm:        fsm,
		applyCh:    make(chan *logFuture, maxAppend),
		shutdownCh: make(chan struct{}),
	}
	r.routines.Add(1)
	go func() {
		defer r.routines.Done()
		r.run()
	}()
	return r
}

// ApplyLog enqueues a command. The future must be waited for by one goroutine.
func (r *Raft) ApplyLog(data []byte, timeout time.Duration) Future {
	var timer <-chan time.Time
	if timeout > 0 {
		timer = time.After(timeout)
	}

	// Create a log future, no index or term yet
	logFuture := &logFuture{log: Log{Data: data}}
	logFuture.init()

	select {
	case <-timer:
		return errorFuture{ErrEnqueueTimeout}
	case <-r.shutdownCh:
		return errorFuture{ErrRaftShutdown}
	case r.applyCh <- logFuture:
		return logFuture
	}
}

// run is the main loop.
func (r *Raft) run() {
	for {
		select {
		case <-r.shutdownCh:
			return
		default:
		}

		select {
		case newLog := <-r.applyCh:
			// Group commit, gather all the ready commits
			ready := []*logFuture{newLog}
		GROUP:
			for range cap(r.applyCh) {
				select {
				case newLog := <-r.applyCh:
					ready = append(ready, newLog)
				default:
					break GROUP
				}
			}
			r.dispatchLogs(ready)
		case <-r.shutdownCh:
			return
		}
	}
}

func (r *Raft) dispatchLogs(ready []*logFuture) {
	for _, f := range ready {
		r.lastIndex++
		f.log.Index = r.lastIndex
		f.respond(r.fsm.Apply(&f.log))
	}
}

// Shutdown stops the node and waits for the main loop.
func (r *Raft) Shutdown() {
	r.shutdownLock.Lock()
	defer r.shutdownLock.Unlock()

	if !r.shutdown {
		close(r.shutdownCh)
		r.shutdown = true
	}
	r.routines.Wait()
}
