package raft

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrLeadershipLost = errors.New("leadership lost while committing log")
	ErrRaftShutdown   = errors.New("raft is already shutdown")
)

// Log entries are replicated to all members of the Raft cluster.
type Log struct {
	Index uint64
	Term  uint64
	Data  []byte
}

// LogStore is used to provide an interface for storing
// and retrieving logs in a durable fashion. It may be used by several
// goroutines, but not after it was closed.
type LogStore interface {
	GetLog(index uint64, log *Log) error
	StoreLog(log *Log) error
	Close() error
}

// Transport sends entries to a peer.
type Transport interface {
	AppendEntries(peer string, term uint64, entries []*Log) error
	Heartbeat(peer string, term uint64) error
}

// FSM is updated with the committed entries.
type FSM interface {
	Apply(log *Log) any
}

type logFuture struct {
	data  []byte
	errCh chan error
}

// Error waits until the entry is committed.
func (l *logFuture) Error() error {
	return <-l.errCh
}

// raftState is used to maintain various state variables
// and provides an interface to set/get the variables in a
// thread safe manner.
type raftState struct {
	currentTerm atomic.Uint64
	lastLog     atomic.Uint64
	commitIndex atomic.Uint64
	lastApplied atomic.Uint64
}

// followerReplication is in charge of sending snapshots and log entries to one
// follower.
type followerReplication struct {
	peer      string
	triggerCh chan struct{}
	nextIndex uint64
}

// Raft implements a Raft node.
type Raft struct {
	raftState

	logs  LogStore
	fsm   FSM
	trans Transport

	applyCh  chan *logFuture
	commitCh chan uint64
	matchCh  chan uint64
	repl     []*followerReplication

	heartbeatInterval time.Duration

	shutdown     bool
	shutdownCh   chan struct{}
	shutdownLock sync.Mutex
}

// NewRaft is used to construct a new Raft node, which leads the given peers.
func NewRaft(logs LogStore, fsm FSM, trans Transport, peers []string, term, lastLog uint64) *Raft {
	r := &Raft{
		logs:              logs,
		fsm:               fsm,
		trans:             trans,
		applyCh:           make(chan *logFuture),
		commitCh:          make(chan uint64, 128),
		matchCh:           make(chan uint64, 128),
		heartbeatInterval: 50 * time.Millisecond,
		shutdownCh:        make(chan struct{}),
	}
	r.currentTerm.Store(term)
	r.lastLog.Store(lastLog)
	r.lastApplied.Store(lastLog)

	// Start a replication routine for each peer
	for _, peer := range peers {
		s := &followerReplication{peer: peer, triggerCh: make(chan struct{}, 1), nextIndex: lastLog + 1}
		r.repl = append(r.repl, s)
		go r.replicate(s)
	}

	// Start the background work
	go r.run()
	go r.runFSM()
	return r
}

// Apply is used to apply a command to the FSM in a highly consistent
// manner.
func (r *Raft) Apply(cmd []byte) error {
	f := &logFuture{data: cmd, errCh: make(chan error, 1)}
	select {
	case r.applyCh <- f:
		return f.Error()
	case <-r.shutdownCh:
		return ErrRaftShutdown
	}
}

// Shutdown is used to stop the Raft background routines.
// This is not a graceful operation.
func (r *Raft) Shutdown() {
	r.shutdownLock.Lock()
	defer r.shutdownLock.Unlock()

	if !r.shutdown {
		close(r.shutdownCh)
		r.shutdown = true
	}
}

// run is the main loop: it appends the entries and counts the matches.
func (r *Raft) run() {
	inflight := make(map[uint64]*logFuture)
	acks := make(map[uint64]int)
	defer func() {
		for _, f := range inflight {
			f.errCh <- ErrLeadershipLost
		}
	}()
	for {
		select {
		case f := <-r.applyCh:
			entry := &Log{Index: r.lastLog.Load() + 1, Term: r.currentTerm.Load(), Data: f.data}
			if err := r.logs.StoreLog(entry); err != nil {
				f.errCh <- err
				continue
			}
			r.lastLog.Store(entry.Index)
			inflight[entry.Index] = f
			for _, s := range r.repl {
				select {
				case s.triggerCh <- struct{}{}:
				default:
				}
			}
		case index := <-r.matchCh:
			acks[index]++
			if f, ok := inflight[index]; ok && acks[index] > len(r.repl)/2 {
				r.commitIndex.Store(index)
				delete(inflight, index)
				delete(acks, index)
				f.errCh <- nil
				select {
				case r.commitCh <- index:
				case <-r.shutdownCh:
				}
			}
		case <-r.shutdownCh:
			return
		}
	}
}

// runFSM is a long running goroutine responsible for the management
// of the local FSM.
func (r *Raft) runFSM() {
	for {
		select {
		case index := <-r.commitCh:
			for i := r.lastApplied.Load() + 1; i <= index; i++ {
				l := new(Log)
				if err := r.logs.GetLog(i, l); err != nil {
					log.Printf("[ERR] Failed to get log at %d: %v", i, err)
					break
				}
				r.fsm.Apply(l)
				r.lastApplied.Store(i)
			}
		case <-r.shutdownCh:
			return
		}
	}
}

// replicate is a long running routine that is used to manage
// the process of replicating logs to our followers
func (r *Raft) replicate(s *followerReplication) {
	// Start an async heartbeating routing
	go r.heartbeat(s)

	for {
		select {
		case <-s.triggerCh:
			r.replicateTo(s, r.lastLog.Load())
		case <-r.shutdownCh:
			return
		}
	}
}

// replicateTo is used to replicate the logs up to a given last index.
func (r *Raft) replicateTo(s *followerReplication, lastIndex uint64) {
	for s.nextIndex <= lastIndex {
		entry := new(Log)
		if err := r.logs.GetLog(s.nextIndex, entry); err != nil {
			log.Printf("[ERR] Failed to get log at %d: %v", s.nextIndex, err)
			return
		}
		if err := r.trans.AppendEntries(s.peer, r.currentTerm.Load(), []*Log{entry}); err != nil {
			log.Printf("[ERR] Failed to AppendEntries to %v: %v", s.peer, err)
			return
		}
		select {
		case r.matchCh <- s.nextIndex:
		case <-r.shutdownCh:
			return
		}
		s.nextIndex++
	}
}

// heartbeat is used to periodically invoke AppendEntries on a peer
func (r *Raft) heartbeat(s *followerReplication) {
	for {
		select {
		case <-time.After(r.heartbeatInterval):
			if err := r.trans.Heartbeat(s.peer, r.currentTerm.Load()); err != nil {
				log.Printf("[ERR] Failed to heartbeat to %v: %v", s.peer, err)
			}
		case <-r.shutdownCh:
			return
		}
	}
}

// Server owns the raft node and its store.
type Server struct {
	raft *Raft
	logs LogStore
}

func NewServer(logs LogStore, fsm FSM, trans Transport, peers []string, term, lastLog uint64) *Server {
	return &Server{raft: NewRaft(logs, fsm, trans, peers, term, lastLog), logs: logs}
}

// Close stops the node and closes its store.
func (s *Server) Close() error {
	s.raft.Shutdown()
	return s.logs.Close()
}
