// Package fix replicates a log to followers.
package fix

import (
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
)

// ErrLogNotFound is returned for an index outside of the log.
var ErrLogNotFound = errors.New("log not found")

// Log is one entry.
type Log struct {
	Index uint64
	Term  uint64
	Data  []byte
}

// LogStore is durable storage of entries, with per-entry consistency.
type LogStore interface {
	FirstIndex() uint64
	GetLog(index uint64, l *Log) error
	DeleteRange(min, max uint64) error
}

// InmemStore implements LogStore.
type InmemStore struct {
	l        sync.RWMutex
	lowIndex uint64
	logs     map[uint64]*Log
}

// FirstIndex implements LogStore.
func (i *InmemStore) FirstIndex() uint64 {
	i.l.RLock()
	defer i.l.RUnlock()
	return i.lowIndex
}

// GetLog implements LogStore.
func (i *InmemStore) GetLog(index uint64, out *Log) error {
	i.l.RLock()
	defer i.l.RUnlock()
	l, ok := i.logs[index]
	if !ok {
		return ErrLogNotFound
	}
	*out = *l
	return nil
}

// DeleteRange implements LogStore.
func (i *InmemStore) DeleteRange(min, max uint64) error {
	i.l.Lock()
	defer i.l.Unlock()
	for j := min; j <= max; j++ {
		delete(i.logs, j)
	}
	if min <= i.lowIndex {
		i.lowIndex = max + 1
	}
	return nil
}

// AppendEntriesRequest is sent to followers.
type AppendEntriesRequest struct {
	Term         uint64
	PrevLogEntry uint64
	PrevLogTerm  uint64
	Entries      []*Log
	Commit       uint64
}

// Transport sends requests.
type Transport interface {
	AppendEntries(peer string, req *AppendEntriesRequest) error
	InstallSnapshot(peer string, index uint64) error
}

type followerReplication struct {
	peer        string
	currentTerm uint64
	nextIndex   uint64
}

// Raft is one node.
type Raft struct {
	trans       Transport
	maxAppend   uint64
	trailing    uint64
	commitIndex atomic.Uint64

	// lastLock protects the last log and the last snapshot
	lastLock     sync.Mutex
	lastLogIndex uint64
	lastSnapIdx  uint64
	lastSnapTerm uint64

	// logsLock is used to synchronize replication tasks with log truncation.
	logs     LogStore
	logsLock sync.RWMutex
}

func (r *Raft) getLastSnapshot() (index, term uint64) {
	r.lastLock.Lock()
	defer r.lastLock.Unlock()
	return r.lastSnapIdx, r.lastSnapTerm
}

// replicateTo runs on the goroutine of the follower.
func (r *Raft) replicateTo(s *followerReplication, lastIndex uint64) error {
	req := &AppendEntriesRequest{}
	if err := r.setupAppendEntries(s, req, s.nextIndex, lastIndex); err == ErrLogNotFound {
		idx, _ := r.getLastSnapshot()
		return r.trans.InstallSnapshot(s.peer, idx)
	} else if err != nil {
		log.Printf("[ERR] raft: Failed to setup AppendEntries to %v: %v", s.peer, err)
		return err
	}
	if err := r.trans.AppendEntries(s.peer, req); err != nil {
		return err
	}
	if n := len(req.Entries); n > 0 {
		s.nextIndex = req.Entries[n-1].Index + 1
	}
	return nil
}

// setupAppendEntries is used to setup an append entries request.
func (r *Raft) setupAppendEntries(s *followerReplication, req *AppendEntriesRequest, nextIndex, lastIndex uint64) error {
	// Take a read lock here so that we can get a consistent pull from the
	// logs without worrying about truncation.
	r.logsLock.RLock()
	defer r.logsLock.RUnlock()

	req.Term = s.currentTerm
	req.Commit = r.commitIndex.Load()
	if err := r.setPreviousLog(req, nextIndex); err != nil {
		return err
	}
	return r.setNewLogs(req, nextIndex, lastIndex)
}

// setPreviousLog is used to setup the PrevLogEntry and PrevLogTerm.
func (r *Raft) setPreviousLog(req *AppendEntriesRequest, nextIndex uint64) error {
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

// setNewLogs is used to setup the logs which should be appended for a request.
func (r *Raft) setNewLogs(req *AppendEntriesRequest, nextIndex, lastIndex uint64) error {
	maxIndex := min(nextIndex+r.maxAppend-1, lastIndex)
	for i := nextIndex; i <= maxIndex; i++ {
		oldLog := new(Log)
		if err := r.logs.GetLog(i, oldLog); err != nil {
			return err
		}
		req.Entries = append(req.Entries, oldLog)
	}
	return nil
}

// snapshotted runs on the snapshot goroutine after a snapshot.
func (r *Raft) snapshotted(index, term uint64) error {
	r.lastLock.Lock()
	r.lastSnapIdx, r.lastSnapTerm = index, term
	last := r.lastLogIndex
	r.lastLock.Unlock()
	return r.compactLogs(index, last)
}

func (r *Raft) compactLogs(snapIdx, lastLogIdx uint64) error {
	minLog := r.logs.FirstIndex()
	if lastLogIdx <= r.trailing {
		return nil
	}
	maxLog := min(snapIdx, lastLogIdx-r.trailing)

	// We take the full write lock here so that we don't interfere with any
	// replication task that's reading the logs as we truncate.
	r.logsLock.Lock()
	defer r.logsLock.Unlock()
	if err := r.logs.DeleteRange(minLog, maxLog); err != nil {
		return fmt.Errorf("log compaction failed: %v", err)
	}
	return nil
}
