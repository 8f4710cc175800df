package raft

import (
	"errors"
	"sync"
)

// ErrLogNotFound indicates a given log entry is not available.
var ErrLogNotFound = errors.New("log not found")

// LogType describes various types of log entries.
type LogType uint8

const (
	// LogCommand is applied to a user FSM.
	LogCommand LogType = iota
	// LogNoop is used to assert leadership.
	LogNoop
)

// Log entries are replicated to all members of the Raft cluster
// and form the heart of the replicated state machine.
type Log struct {
	Index uint64
	Term  uint64
	Type  LogType
	Data  []byte
}

// LogStore is used to provide an interface for storing
// and retrieving logs in a durable fashion.
type LogStore interface {
	// FirstIndex returns the first index written. 0 for no entries.
	FirstIndex() (uint64, error)
	// LastIndex returns the last index written. 0 for no entries.
	LastIndex() (uint64, error)
	// GetLog gets a log entry at a given index.
	GetLog(index uint64, log *Log) error
	// StoreLog stores a log entry.
	StoreLog(log *Log) error
	// StoreLogs stores multiple log entries.
	StoreLogs(logs []*Log) error
	// DeleteRange deletes a range of log entries. The range is inclusive.
	DeleteRange(min, max uint64) error
}

// logFuture is used to apply a log entry and waits
// until the log is considered committed.
type logFuture struct {
	log   Log
	errCh chan error
}

func (f *logFuture) respond(err error) {
	f.errCh <- err
}

// raftLog is the part of a leader that appends entries and hands them to the
// replication routines.
type raftLog struct {
	logs LogStore

	lastLock     sync.Mutex
	lastLogIndex uint64
	lastLogTerm  uint64

	stepDown func(error)
}

func (r *raftLog) getLastLog() (index, term uint64) {
	r.lastLock.Lock()
	defer r.lastLock.Unlock()
	return r.lastLogIndex, r.lastLogTerm
}

func (r *raftLog) setLastLog(index, term uint64) {
	r.lastLock.Lock()
	defer r.lastLock.Unlock()
	r.lastLogIndex = index
	r.lastLogTerm = term
}

// leaderLoop is the hot loop for a leader. It is invoked
// after all the various leader setup is done.
func (r *raftLog) leaderLoop(term uint64, applyCh <-chan *logFuture, trigger chan<- struct{}, stopCh <-chan struct{}) {
	for {
		select {
		case f := <-applyCh:
			if !r.dispatchLogs(term, []*logFuture{f}, trigger) {
				return
			}
		case <-stopCh:
			return
		}
	}
}

// dispatchLog is called on the leader to push a log to disk, mark it
// as inflight and begin replication of it.
func (r *raftLog) dispatchLogs(term uint64, applyLogs []*logFuture, trigger chan<- struct{}) bool {
	lastIndex, _ := r.getLastLog()

	logs := make([]*Log, len(applyLogs))
	for idx, applyLog := range applyLogs {
		lastIndex++
		applyLog.log.Index = lastIndex
		applyLog.log.Term = term
		logs[idx] = &applyLog.log
	}

	// Write the log entry locally
	if err := r.logs.StoreLogs(logs); err != nil {
		for _, applyLog := range applyLogs {
			applyLog.respond(err)
		}
		r.stepDown(err)
		return false
	}

	// Update the last log since it's on disk now
	r.setLastLog(lastIndex, term)

	// Notify the replicators of the new log
	select {
	case trigger <- struct{}{}:
	default:
	}
	return true
}

// appendEntries is invoked when we get an append entries RPC call. It reports
// whether the entries were taken.
func (r *raftLog) appendEntries(prevIndex, prevTerm uint64, entries []*Log) (bool, error) {
	// Verify the last log entry
	if prevIndex > 0 {
		lastIdx, lastTerm := r.getLastLog()

		var prevLogTerm uint64
		if prevIndex == lastIdx {
			prevLogTerm = lastTerm
		} else {
			var prevLog Log
			if err := r.logs.GetLog(prevIndex, &prevLog); err != nil {
				return false, err
			}
			prevLogTerm = prevLog.Term
		}

		if prevTerm != prevLogTerm {
			return false, nil
		}
	}

	// Process any new entries
	if len(entries) > 0 {
		if err := r.logs.StoreLogs(entries); err != nil {
			return false, err
		}
		last := entries[len(entries)-1]
		r.setLastLog(last.Index, last.Term)
	}
	return true, nil
}

// replicate sends the entries from nextIndex on to a follower, up to the last
// index.
func (r *raftLog) replicate(nextIndex uint64, send func([]*Log) error, trigger, stopCh <-chan struct{}) {
	for {
		select {
		case <-trigger:
		case <-stopCh:
			return
		}
		lastIndex, _ := r.getLastLog()
		var entries []*Log
		for i := nextIndex; i <= lastIndex; i++ {
			entry := new(Log)
			if err := r.logs.GetLog(i, entry); err != nil {
				break
			}
			entries = append(entries, entry)
		}
		if len(entries) == 0 {
			continue
		}
		if err := send(entries); err != nil {
			continue
		}
		nextIndex += uint64(len(entries))
	}
}

// compactLogs takes the last inclusive index of a snapshot
// and trims the logs that are no longer needed. It runs in the snapshot
// routine.
func (r *raftLog) compactLogs(snapIdx, trailing uint64) error {
	minLog, err := r.logs.FirstIndex()
	if err != nil {
		return err
	}
	lastLogIdx, _ := r.getLastLog()

	// Check if we have enough logs to truncate
	if lastLogIdx <= trailing {
		return nil
	}
	maxLog := min(snapIdx, lastLogIdx-trailing)
	if minLog > maxLog {
		return nil
	}
	return r.logs.DeleteRange(minLog, maxLog)
}
