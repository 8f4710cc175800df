// Package etcdserver applies what raft commits.
package etcdserver

import "sync"

// EtcdServer is a member of the cluster.
type EtcdServer struct {
	r  *raftNode
	kv KV

	mu      sync.RWMutex
	members map[uint64]bool
}

// NewServer starts a server with the given members. It runs until stop is
// closed.
func NewServer(n Node, st Storage, tr Transport, kv KV, members map[uint64]bool, stop <-chan struct{}) *EtcdServer {
	s := &EtcdServer{
		r: &raftNode{
			Node:      n,
			storage:   st,
			transport: tr,
			applyc:    make(chan apply),
			stopped:   make(chan struct{}),
		},
		kv:      kv,
		members: members,
	}
	go s.run(stop)
	return s
}

// IsMember says whether a node belongs to the cluster, as far as applied.
func (s *EtcdServer) IsMember(id uint64) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.members[id]
}

func (s *EtcdServer) run(stop <-chan struct{}) {
	// asynchronously accept apply packets, dispatch progress in-order
	sched := newFIFOScheduler()

	s.r.start()
	defer close(s.r.stopped)

	for {
		select {
		case ap := <-s.r.applyc:
			sched.Schedule(func() { s.applyAll(&ap) })
		case <-stop:
			return
		}
	}
}

func (s *EtcdServer) applyAll(ap *apply) {
	var applied uint64
	for _, ent := range ap.entries {
		if ent.Remove != 0 {
			s.mu.Lock()
			delete(s.members, ent.Remove)
			s.mu.Unlock()
		} else {
			s.kv.Apply(ent)
		}
		applied = ent.Index
	}
	// wait for the raft routine to finish the disk writes before triggering a
	// snapshot, or the applied index might be greater than the last index in
	// raft storage.
	<-ap.raftDone
	s.r.storage.Snapshot(applied)
}
