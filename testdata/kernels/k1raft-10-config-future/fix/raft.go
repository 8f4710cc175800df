// Package raft takes snapshots of a replicated state machine.
package raft

import (
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Configuration tracks which servers are in the cluster.
type Configuration struct{ Servers []string }

// configurations is used by the main goroutine only.
type configurations struct {
	committed      Configuration
	committedIndex uint64
}

// Config has the parameters of a server.
type Config struct {
	SnapshotInterval  time.Duration
	SnapshotThreshold uint64
	Logger            *log.Logger
}

// commit is a committed entry. A configuration is nil for normal entries.
type commit struct {
	Index         uint64
	Data          []byte
	Configuration *Configuration
}

// Raft is one server.
type Raft struct {
	conf      Config
	fsm       FSM
	snapshots SnapshotStore

	configurations configurations
	lastIndex      atomic.Uint64
	lastSnapshot   atomic.Uint64

	commitCh      chan commit
	fsmMutateCh   chan commit
	fsmSnapshotCh chan *reqSnapshotFuture
	// configurationsCh is used to get the configuration data safely from
	// outside of the main thread.
	configurationsCh chan *configurationsFuture

	shutdown     bool
	shutdownCh   chan struct{}
	shutdownLock sync.Mutex
	routines     sync.WaitGroup
}

// NewRaft starts a server.
func NewRaft(conf Config, fsm FSM, snapshots SnapshotStore, initial Configuration) *Raft {
	r := &Raft{
		conf:             conf,
		fsm:              fsm,
		snapshots:        snapshots,
		configurations:   configurations{committed: initial},
		commitCh:         make(chan commit),
		fsmMutateCh:      make(chan commit, 128),
		fsmSnapshotCh:    make(chan *reqSnapshotFuture),
		configurationsCh: make(chan *configurationsFuture, 8),
		shutdownCh:       make(chan struct{}),
	}
	r.goFunc(r.run)
	r.goFunc(r.runFSM)
	r.goFunc(r.runSnapshots)
	return r
}

func (r *Raft) goFunc(f func()) {
	r.routines.Add(1)
	go func() {
		defer r.routines.Done()
		f()
	}()
}

// Commit is called by the log with each committed entry.
func (r *Raft) Commit(index uint64, data []byte, c *Configuration) error {
	select {
	case r.commitCh <- commit{index, data, c}:
		return nil
	case <-r.shutdownCh:
		return ErrRaftShutdown
	}
}

// Shutdown is used to stop the Raft background routines.
// The future can be used to block until they have exited.
func (r *Raft) Shutdown() Future {
	r.shutdownLock.Lock()
	defer r.shutdownLock.Unlock()

	if !r.shutdown {
		close(r.shutdownCh)
		r.shutdown = true
		return &shutdownFuture{r}
	}
	return &shutdownFuture{nil}
}

// run is the main goroutine; it owns the configurations.
func (r *Raft) run() {
	for {
		select {
		case c := <-r.commitCh:
			if c.Configuration != nil {
				r.configurations.committed = *c.Configuration
				r.configurations.committedIndex = c.Index
			}
			r.lastIndex.Store(c.Index)
			select {
			case r.fsmMutateCh <- c:
			case <-r.shutdownCh:
				return
			}
		case c := <-r.configurationsCh:
			c.configurations = r.configurations
			c.respond(nil)
		case <-r.shutdownCh:
			return
		}
	}
}
