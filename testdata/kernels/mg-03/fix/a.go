package a

import (
	"fmt"
	"sync"
)

type RangeID int64
type ReplicaID int32

type destroyReason int

const (
	destroyReasonAlive destroyReason = iota
	destroyReasonRemoved
)

// logEngine holds the raft logs of all ranges of a store.
type logEngine struct {
	mu   sync.Mutex
	logs map[RangeID][]string
}

func (e *logEngine) append(id RangeID, entries []string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.logs[id] = append(e.logs[id], entries...)
	return len(e.logs[id])
}

func (e *logEngine) clear(id RangeID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.logs, id)
}

// Replica is the local member of a range.
type Replica struct {
	rangeID   RangeID
	replicaID ReplicaID
	engine    *logEngine

	// raftMu serialises the raft processing of the replica and its removal.
	raftMu sync.Mutex

	mu struct {
		sync.RWMutex
		destroyStatus destroyReason
		lastIndex     int
	}
}

func (r *Replica) isDestroyed() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.mu.destroyStatus != destroyReasonAlive
}

func (r *Replica) LastIndex() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.mu.lastIndex
}

// stepRaftMuLocked appends the entries of a message to the log.
func (r *Replica) stepRaftMuLocked(entries []string) {
	last := r.engine.append(r.rangeID, entries)
	r.mu.Lock()
	r.mu.lastIndex = last
	r.mu.Unlock()
}

type RaftRequest struct {
	RangeID   RangeID
	ToReplica ReplicaID
	Entries   []string
}

// Store is the set of replicas on one disk.
type Store struct {
	engine *logEngine

	mu struct {
		sync.RWMutex
		replicas   map[RangeID]*Replica
		tombstones map[RangeID]ReplicaID
	}
}

func NewStore() *Store {
	s := &Store{engine: &logEngine{logs: make(map[RangeID][]string)}}
	s.mu.replicas = make(map[RangeID]*Replica)
	s.mu.tombstones = make(map[RangeID]ReplicaID)
	return s
}

func (s *Store) GetReplica(id RangeID) (*Replica, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.mu.replicas[id]
	if !ok {
		return nil, fmt.Errorf("r%d was not found", id)
	}
	return r, nil
}

// getOrCreateReplica returns the replica a message is for. A replica that is
// not known yet is created, unless a tombstone says that it was removed.
func (s *Store) getOrCreateReplica(id RangeID, to ReplicaID) (*Replica, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.mu.replicas[id]; ok {
		if to != r.replicaID {
			return nil, fmt.Errorf("r%d: message for replica %d, have %d", id, to, r.replicaID)
		}
		return r, nil
	}
	if next, ok := s.mu.tombstones[id]; ok && to < next {
		return nil, fmt.Errorf("r%d: replica %d is gone", id, to)
	}
	r := &Replica{rangeID: id, replicaID: to, engine: s.engine}
	s.mu.replicas[id] = r
	return r, nil
}

// processRaftRequest feeds a message into the raft group of its replica.
func (s *Store) processRaftRequest(req *RaftRequest) error {
	for {
		r, err := s.getOrCreateReplica(req.RangeID, req.ToReplica)
		if err != nil {
			return err
		}
		r.raftMu.Lock()
		if r.isDestroyed() {
			r.raftMu.Unlock()
			continue
		}
		r.stepRaftMuLocked(req.Entries)
		r.raftMu.Unlock()
		return nil
	}
}

// RemoveReplica drops the replica and its log. next is the lowest replica ID
// that may be created for the range from now on.
func (s *Store) RemoveReplica(id RangeID, next ReplicaID) error {
	r, err := s.GetReplica(id)
	if err != nil {
		return err
	}
	if r.replicaID >= next {
		return fmt.Errorf("r%d: replica %d is not superseded", id, r.replicaID)
	}
	r.raftMu.Lock()
	defer r.raftMu.Unlock()

	r.mu.Lock()
	if r.mu.destroyStatus != destroyReasonAlive {
		r.mu.Unlock()
		return nil
	}
	r.mu.destroyStatus = destroyReasonRemoved
	r.mu.Unlock()

	s.engine.clear(id)

	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.mu.replicas, id)
	s.mu.tombstones[id] = next
	return nil
}
