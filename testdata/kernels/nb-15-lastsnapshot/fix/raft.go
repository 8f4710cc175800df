// Package raft replicates a log.
package raft

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

var ErrRaftShutdown = errors.New("raft is already shutdown")

type Log struct {
	Index uint64
	Term  uint64
	Data  []byte
}

// LogStore keeps the entries on disk.
type LogStore interface {
	FirstIndex() (uint64, error)
	GetLog(index uint64, log *Log) error
	StoreLogs(logs []*Log) error
	DeleteRange(min, max uint64) error
}

type FSM interface {
	Apply(*Log) any
	Snapshot() ([]byte, error)
}

type SnapshotSink interface {
	Write(index, term uint64, data []byte) error
}

// AppendEntriesRequest carries entries to a follower.
type AppendEntriesRequest struct {
	Term         uint64
	PrevLogEntry uint64
	PrevLogTerm  uint64
	Entries      []*Log
}

type Transport interface {
	AppendEntries(peer string, req *AppendEntriesRequest) (ok bool, lastLog uint64, err error)
}

// raftState is used to maintain various state variables
// and provides an interface to set/get the variables in a
// thread safe manner.
type raftState struct {
	// The current term, cache of StableStore
	currentTerm uint64

	// Cache the latest log from LogStore
	lastLogIndex uint64

	// protects the next fields
	lastLock sync.Mutex

	// Cache the latest snapshot index/term
	lastSnapshotIndex uint64
	lastSnapshotTerm  uint64
}

func (r *raftState) getCurrentTerm() uint64 { return atomic.LoadUint64(&r.currentTerm) }

func (r *raftState) setCurrentTerm(t uint64) { atomic.StoreUint64(&r.currentTerm, t) }

func (r *raftState) getLastLogIndex() uint64 { return atomic.LoadUint64(&r.lastLogIndex) }

func (r *raftState) setLastLogIndex(i uint64) { atomic.StoreUint64(&r.lastLogIndex, i) }

func (r *raftState) getLastSnapshot() (index, term uint64) {
	r.lastLock.Lock()
	index = r.lastSnapshotIndex
	term = r.lastSnapshotTerm
	r.lastLock.Unlock()
	return
}

func (r *raftState) setLastSnapshot(index, term uint64) {
	r.lastLock.Lock()
	r.lastSnapshotIndex = index
	r.lastSnapshotTerm = term
	r.lastLock.Unlock()
}

// Raft implements a node of the cluster.
type Raft struct {
	raftState

	logs         LogStore
	fsm          FSM
	sink         SnapshotSink
	trans        Transport
	trailingLogs uint64

	applyCh       chan *Log
	fsmSnapshotCh chan chan *Log
	shutdownCh    chan struct{}

	peersLock sync.Mutex
	peers     []string
}

// Start runs the goroutines of the node.
func (r *Raft) Start(interval time.Duration) {
	go r.runFSM()
	go r.runSnapshots(interval)
	r.peersLock.Lock()
	defer r.peersLock.Unlock()
	for _, p := range r.peers {
		go r.replicate(p, interval/10)
	}
}

// runFSM applies the log and hands out the position for snapshots.
func (r *Raft) runFSM() {
	last := &Log{}
	for {
		select {
		case l := <-r.applyCh:
			r.fsm.Apply(l)
			last = l
		case respCh := <-r.fsmSnapshotCh:
			respCh <- last
		case <-r.shutdownCh:
			return
		}
	}
}

// runSnapshots is a long running goroutine used to manage taking
// new snapshots of the FSM.
func (r *Raft) runSnapshots(interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := r.takeSnapshot(); err != nil {
				fmt.Printf("[ERR] raft: Failed to take snapshot: %v\n", err)
			}
		case <-r.shutdownCh:
			return
		}
	}
}

// takeSnapshot is used to take a new snapshot.
func (r *Raft) takeSnapshot() error {
	respCh := make(chan *Log, 1)
	select {
	case r.fsmSnapshotCh <- respCh:
	case <-r.shutdownCh:
		return nil
	}
	at := <-respCh
	if at.Index == 0 {
		return nil
	}
	data, err := r.fsm.Snapshot()
	if err != nil {
		return err
	}
	if err := r.sink.Write(at.Index, at.Term, data); err != nil {
		return err
	}

	// Update the last stable snapshot info
	r.setLastSnapshot(at.Index, at.Term)

	// Compact the logs
	return r.compactLogs(at.Index)
}

func (r *Raft) compactLogs(snapIdx uint64) error {
	minLog, err := r.logs.FirstIndex()
	if err != nil {
		return err
	}
	if snapIdx <= minLog+r.trailingLogs {
		return nil
	}
	return r.logs.DeleteRange(minLog, snapIdx-r.trailingLogs)
}

// replicate brings one follower up to date.
func (r *Raft) replicate(peer string, every time.Duration) {
	nextIndex := r.getLastLogIndex() + 1
	for {
		select {
		case <-time.After(every):
		case <-r.shutdownCh:
			return
		}
		req := &AppendEntriesRequest{Term: r.getCurrentTerm()}
		if err := r.setPreviousLog(req, nextIndex); err != nil {
			continue
		}
		for i := nextIndex; i <= r.getLastLogIndex(); i++ {
			l := new(Log)
			if err := r.logs.GetLog(i, l); err != nil {
				break
			}
			req.Entries = append(req.Entries, l)
		}
		ok, lastLog, err := r.trans.AppendEntries(peer, req)
		switch {
		case err != nil:
		case ok:
			nextIndex += uint64(len(req.Entries))
		default:
			nextIndex = max(min(nextIndex-1, lastLog+1), 1)
		}
	}
}

// setPreviousLog is used to setup the PrevLogEntry and PrevLogTerm for an
// AppendEntriesRequest given the next index to replicate.
func (r *Raft) setPreviousLog(req *AppendEntriesRequest, nextIndex uint64) error {
	// Guard against the previous index being a snapshot as well
	lastSnapIdx, lastSnapTerm := r.getLastSnapshot()
	if nextIndex == 1 {
		req.PrevLogEntry = 0
		req.PrevLogTerm = 0
	} else if (nextIndex - 1) == lastSnapIdx {
		req.PrevLogEntry = lastSnapIdx
		req.PrevLogTerm = lastSnapTerm
	} else {
		var l Log
		if err := r.logs.GetLog(nextIndex-1, &l); err != nil {
			return err
		}
		req.PrevLogEntry = l.Index
		req.PrevLogTerm = l.Term
	}
	return nil
}

// dispatchLogs is called by the leader to write new entries.
func (r *Raft) dispatchLogs(logs []*Log) error {
	if err := r.logs.StoreLogs(logs); err != nil {
		return err
	}
	r.setLastLogIndex(logs[len(logs)-1].Index)
	for _, l := range logs {
		select {
		case r.applyCh <- l:
		case <-r.shutdownCh:
			return ErrRaftShutdown
		}
	}
	return nil
}

// Shutdown stops the goroutines.
func (r *Raft) Shutdown() { close(r.shutdownCh) }
