package etcdserver

import (
	"log"
	"sync"
)

type apply struct {
	entries  []Entry
	raftDone <-chan struct{} // rx {} after raft has persisted messages
}

type etcdProgress struct {
	confState ConfState
	snapi     uint64
	appliedi  uint64
}

// EtcdServer is the production implementation of the Server interface
type EtcdServer struct {
	r         *raftNode
	snapCount uint64

	store *store

	stop   chan struct{}
	done   chan struct{}
	errorc chan error

	msgSnapC chan Message
}

// Start begins running the server.
func (s *EtcdServer) Start() {
	s.stop = make(chan struct{})
	s.done = make(chan struct{})
	s.errorc = make(chan error, 1)
	s.msgSnapC = make(chan Message, 1)
	go s.run()
}

// startApplier buffers apply operations so raftNode won't block on sending
// new applies, timing out (since applies can be slow). The goroutine begins
// shutdown on close(s.done) and closes the returned channel when finished.
func (s *EtcdServer) startApplier(ep etcdProgress) <-chan struct{} {
	donec := make(chan struct{})
	go func() {
		defer close(donec)
		pending := []apply{}
		sdonec := s.done
		apdonec := make(chan struct{})
		// serialized function
		f := func(ap apply) {
			s.applyAll(&ep, &ap)
			select {
			// snapshot requested via send()
			case m := <-s.msgSnapC:
				merged := s.createMergedSnapshotMessage(m, ep.appliedi, ep.confState)
				s.r.transport.SendSnapshot(merged)
			default:
			}
			apdonec <- struct{}{}
		}
		for sdonec != nil || len(pending) > 0 {
			select {
			// launch if no pending apply packet, queue up the rest
			case ap := <-s.r.applyc:
				pending = append(pending, ap)
				if len(pending) == 1 {
					go f(pending[0])
				}
			// pending apply serviced, schedule the next one
			case <-apdonec:
				pending = pending[1:]
				if len(pending) != 0 {
					go f(pending[0])
				}
			// run() is finished; drain pending and exit
			case <-sdonec:
				sdonec = nil
			}
		}
	}()
	return donec
}

func (s *EtcdServer) run() {
	snap := s.r.raftStorage.Snapshot()
	s.r.start(s)

	// asynchronously accept apply packets, dispatch progress in-order
	appdonec := s.startApplier(etcdProgress{
		confState: snap.Metadata.ConfState,
		snapi:     snap.Metadata.Index,
		appliedi:  snap.Metadata.Index,
	})

	defer func() {
		s.r.stop()
		close(s.done)
		<-appdonec
	}()

	select {
	case err := <-s.errorc:
		log.Printf("%s", err)
		log.Printf("the data-dir used by this member must be removed.")
	case <-s.stop:
	}
}

func (s *EtcdServer) applyAll(ep *etcdProgress, apply *apply) {
	s.applyEntries(ep, apply)
	// wait for the raft routine to finish the disk writes before triggering a
	// snapshot. or applied index might be greater than the last index in raft
	// storage, since the raft routine might be slower than apply routine.
	<-apply.raftDone
	s.triggerSnapshot(ep)
}

func (s *EtcdServer) applyEntries(ep *etcdProgress, apply *apply) {
	if len(apply.entries) == 0 {
		return
	}
	firsti := apply.entries[0].Index
	if firsti > ep.appliedi+1 {
		log.Panicf("first index of committed entry[%d] should <= appliedi[%d] + 1", firsti, ep.appliedi)
	}
	var ents []Entry
	if ep.appliedi+1-firsti < uint64(len(apply.entries)) {
		ents = apply.entries[ep.appliedi+1-firsti:]
	}
	for _, e := range ents {
		if e.Node != 0 {
			ep.confState.Nodes = append(append([]uint64(nil), ep.confState.Nodes...), e.Node)
		} else {
			s.store.Set(e.Key, e.Value)
		}
		ep.appliedi = e.Index
	}
}

func (s *EtcdServer) triggerSnapshot(ep *etcdProgress) {
	if ep.appliedi-ep.snapi <= s.snapCount {
		return
	}
	log.Printf("start to snapshot (applied: %d, lastsnap: %d)", ep.appliedi, ep.snapi)
	s.r.raftStorage.CreateSnapshot(ep.appliedi, ep.confState, s.store.Clone())
	ep.snapi = ep.appliedi
}

// createMergedSnapshotMessage creates a snapshot message that contains: raft status (term, conf),
// a snapshot of the store inside raft.Snapshot.
func (s *EtcdServer) createMergedSnapshotMessage(m Message, snapi uint64, confState ConfState) Message {
	snapt := s.r.raftStorage.Term(snapi)

	// get a snapshot of the store
	d := s.store.Clone()

	// put the snapshot of store into raft snapshot and return the merged snapshot
	m.Snapshot = Snapshot{
		Metadata: SnapshotMetadata{Index: snapi, Term: snapt, ConfState: confState},
		Data:     d,
	}
	return m
}

// send is called by the raft routine.
func (s *EtcdServer) send(ms []Message) {
	for i := range ms {
		if ms[i].Type == MsgSnap {
			// The msgSnap only contains the most recent snapshot of raft.
			// So we need to redirect the msgSnap to etcd server main loop for merging in the
			// current store snapshot.
			select {
			case s.msgSnapC <- ms[i]:
			default:
				// drop msgSnap if the inflight chan if full.
			}
			ms[i].To = 0
		}
	}
	s.r.transport.Send(ms)
}

// Stop stops the server gracefully, and shuts down the running goroutine.
func (s *EtcdServer) Stop() {
	select {
	case s.stop <- struct{}{}:
	case <-s.done:
		return
	}
	<-s.done
}

type store struct {
	worldLock sync.RWMutex
	root      map[string]string
}

func (s *store) Set(k, v string) {
	s.worldLock.Lock()
	s.root[k] = v
	s.worldLock.Unlock()
}

func (s *store) Clone() map[string]string {
	s.worldLock.RLock()
	defer s.worldLock.RUnlock()
	c := make(map[string]string, len(s.root))
	for k, v := range s.root {
		c[k] = v
	}
	return c
}
