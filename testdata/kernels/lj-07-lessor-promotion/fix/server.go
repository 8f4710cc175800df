package etcdserver

import (
	"sync"
	"sync/atomic"
	"time"
)

type leaseGrantRequest struct{ ID, TTL int64 }
type leaseRevokeRequest struct{ ID int64 }

type internalRaftRequest struct {
	ID          uint64
	LeaseGrant  *leaseGrantRequest
	LeaseRevoke *leaseRevokeRequest
}

type serverStats struct {
	mu    sync.Mutex
	since time.Time
}

func (ss *serverStats) BecomeLeader() {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.since = time.Now()
}

// EtcdServer is the production implementation of the Server interface
type EtcdServer struct {
	id              uint64
	r               raftNode
	lessor          *lessor
	stats           serverStats
	electionTimeout time.Duration
	SyncTicker      <-chan time.Time
	sender          func(msgs []string)
	w               wait

	appliedIndex atomic.Uint64
	forceSync    chan struct{}
}

// wait hands the result of an applied request to its proposer.
type wait struct {
	mu sync.Mutex
	m  map[uint64]chan error
}

func (w *wait) Register(id uint64) <-chan error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.m == nil {
		w.m = make(map[uint64]chan error)
	}
	ch := make(chan error, 1)
	w.m[id] = ch
	return ch
}

func (w *wait) Trigger(id uint64, err error) {
	w.mu.Lock()
	ch := w.m[id]
	delete(w.m, id)
	w.mu.Unlock()
	if ch != nil {
		ch <- err
	}
}

// start runs the server on the output of the raft library.
func (s *EtcdServer) start(readyc chan ready, storage walStorage) {
	s.r.readyc = readyc
	s.r.storage = storage
	s.forceSync = make(chan struct{}, 1)
	s.r.start(s)
	go s.run()
}

func (s *EtcdServer) run() {
	for {
		select {
		case ap := <-s.r.applyc:
			s.applyAll(&ap)
		case <-s.r.done:
			return
		}
	}
}

func (s *EtcdServer) applyAll(ap *apply) {
	for i := range ap.entries {
		s.applyEntryNormal(&ap.entries[i])
	}
	// wait for the raft routine to finish the disk writes before applying more
	select {
	case <-ap.raftDone:
	case <-s.r.done:
	}
}

// applyEntryNormal applies an EntryNormal type raftpb request to the EtcdServer
func (s *EtcdServer) applyEntryNormal(e *entry) {
	s.appliedIndex.Store(e.Index)

	// raft state machine may generate noop entry when leader confirmation.
	// skip it in advance to avoid some potential bug in the future
	if e.Data == nil {
		select {
		case s.forceSync <- struct{}{}:
		default:
		}
		// promote lessor when the local member is leader and finished
		// applying all entries from the last term.
		if s.isLeader() {
			s.lessor.Promote(s.electionTimeout)
			// the leadership may have been lost meanwhile, lead is stored
			// before the raft routine demotes.
			if !s.isLeader() {
				s.lessor.Demote()
			}
		}
		return
	}

	r := e.Data
	var err error
	switch {
	case r.LeaseGrant != nil:
		_, err = s.lessor.Grant(r.LeaseGrant.ID, r.LeaseGrant.TTL)
	case r.LeaseRevoke != nil:
		err = s.lessor.Revoke(r.LeaseRevoke.ID)
	}
	s.w.Trigger(r.ID, err)
}

// LeaseRenew serves the keep alive requests of clients.
func (s *EtcdServer) LeaseRenew(id int64) (int64, error) {
	return s.lessor.Renew(id)
}

func (s *EtcdServer) Lead() uint64 { return atomic.LoadUint64(&s.r.lead) }

func (s *EtcdServer) isLeader() bool { return s.id == s.Lead() }

func (s *EtcdServer) send(msgs []string) { s.sender(msgs) }

func (s *EtcdServer) sync() { s.send([]string{"sync"}) }
