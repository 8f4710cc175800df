package raft

import (
	"errors"
	"fmt"
	"log"
	"time"
)

var (
	ErrRaftShutdown           = errors.New("raft is already shutdown")
	ErrNothingNewToSnapshot   = errors.New("nothing new to snapshot")
	ErrConfigChangeInProgress = errors.New("configuration change in progress")
)

type Configuration struct {
	Servers []string
}

// configurations tracks the latest and committed configurations. It is owned
// by the main thread; a configuration is never changed in place.
type configurations struct {
	committed      Configuration
	committedIndex uint64
	latest         Configuration
	latestIndex    uint64
}

type Log struct {
	Index  uint64
	Term   uint64
	Config *Configuration
	Data   []byte
}

type FSM interface {
	Apply(*Log)
	Snapshot() ([]byte, error)
}

type SnapshotStore interface {
	Create(index, term uint64, configuration Configuration, configurationIndex uint64, data []byte) (string, error)
}

// reqSnapshotFuture is used for requesting a snapshot start.
// It is only used internally.
type reqSnapshotFuture struct {
	errCh chan error

	// snapshot details provided by the FSM runner before responding
	index    uint64
	term     uint64
	snapshot []byte
}

type configurationsFuture struct {
	errCh          chan error
	configurations configurations
}

type Raft struct {
	fsm       FSM
	snapshots SnapshotStore

	applyCh          chan *Log
	fsmMutateCh      chan *Log
	fsmSnapshotCh    chan *reqSnapshotFuture
	configurationsCh chan *configurationsFuture
	userSnapshotCh   chan chan error
	shutdownCh       chan struct{}

	configurations configurations
	lastIndex      uint64
}

func NewRaft(fsm FSM, snapshots SnapshotStore) *Raft {
	r := &Raft{
		fsm:              fsm,
		snapshots:        snapshots,
		applyCh:          make(chan *Log),
		fsmMutateCh:      make(chan *Log, 128),
		fsmSnapshotCh:    make(chan *reqSnapshotFuture),
		configurationsCh: make(chan *configurationsFuture, 8),
		userSnapshotCh:   make(chan chan error),
		shutdownCh:       make(chan struct{}),
	}
	go r.run()
	go r.runFSM()
	go r.runSnapshots()
	return r
}

// run is the main thread.
func (r *Raft) run() {
	for {
		select {
		case l := <-r.applyCh:
			r.lastIndex++
			l.Index = r.lastIndex
			if l.Config != nil {
				r.configurations.latest, r.configurations.latestIndex = *l.Config, l.Index
				// Commit it
				r.configurations.committed, r.configurations.committedIndex = *l.Config, l.Index
			}
			select {
			case r.fsmMutateCh <- l:
			case <-r.shutdownCh:
				return
			}
		case c := <-r.configurationsCh:
			c.configurations = r.configurations
			c.errCh <- nil
		case <-r.shutdownCh:
			return
		}
	}
}

// runFSM is a long running goroutine responsible for applying logs
// to the FSM. This is done async of other logs since we don't want
// the FSM to block our internal operations.
func (r *Raft) runFSM() {
	var lastIndex, lastTerm uint64
	for {
		select {
		case l := <-r.fsmMutateCh:
			if l.Config == nil {
				r.fsm.Apply(l)
			}
			lastIndex, lastTerm = l.Index, l.Term
		case req := <-r.fsmSnapshotCh:
			// Is there something to snapshot?
			if lastIndex == 0 {
				req.errCh <- ErrNothingNewToSnapshot
				continue
			}
			// Respond to the request
			snap, err := r.fsm.Snapshot()
			req.index, req.term, req.snapshot = lastIndex, lastTerm, snap
			req.errCh <- err
		case <-r.shutdownCh:
			return
		}
	}
}

// runSnapshots is a long running goroutine used to manage taking
// new snapshots of the FSM. It runs in parallel to the FSM and
// main goroutines, so that snapshots do not block normal operation.
func (r *Raft) runSnapshots() {
	for {
		select {
		case <-time.After(2 * time.Minute):
			if _, err := r.takeSnapshot(); err != nil && !errors.Is(err, ErrNothingNewToSnapshot) {
				log.Println("failed to take snapshot", err)
			}
		case future := <-r.userSnapshotCh:
			// User-triggered, run immediately
			_, err := r.takeSnapshot()
			future <- err
		case <-r.shutdownCh:
			return
		}
	}
}

// takeSnapshot is used to take a new snapshot. This must only be called from
// the snapshot thread, never the main thread. This returns the ID of the new
// snapshot, along with an error.
func (r *Raft) takeSnapshot() (string, error) {
	// Create a request for the FSM to perform a snapshot.
	snapReq := &reqSnapshotFuture{errCh: make(chan error, 1)}

	// Wait for dispatch or shutdown.
	select {
	case r.fsmSnapshotCh <- snapReq:
	case <-r.shutdownCh:
		return "", ErrRaftShutdown
	}

	// Wait until we get a response
	if err := <-snapReq.errCh; err != nil {
		return "", err
	}

	// Make a request for the configurations and extract the committed info.
	// We have to use the future here to safely get this information since
	// it is owned by the main thread.
	configReq := &configurationsFuture{errCh: make(chan error, 1)}
	select {
	case r.configurationsCh <- configReq:
	case <-r.shutdownCh:
		return "", ErrRaftShutdown
	}
	select {
	case <-configReq.errCh:
	case <-r.shutdownCh:
		return "", ErrRaftShutdown
	}
	committed := configReq.configurations.committed
	committedIndex := configReq.configurations.committedIndex

	// We don't support snapshots while there's a config change outstanding
	// since the snapshot doesn't have a means to represent this state. This
	// is a little weird because we need the FSM to apply an index that's
	// past the configuration change, even though the FSM itself doesn't see
	// the configuration changes.
	if snapReq.index < committedIndex {
		return "", fmt.Errorf("%w: cannot take snapshot now, wait until the configuration entry at %v has been applied (have applied %v)",
			ErrConfigChangeInProgress, committedIndex, snapReq.index)
	}

	// Create a new snapshot.
	id, err := r.snapshots.Create(snapReq.index, snapReq.term, committed, committedIndex, snapReq.snapshot)
	if err != nil {
		return "", fmt.Errorf("failed to create snapshot: %v", err)
	}
	return id, nil
}
