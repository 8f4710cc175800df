package etcdserver

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

var ErrSnapOutOfDate = errors.New("requested index is older than the existing snapshot")

const numberOfCatchUpEntries = 5000

type Entry struct {
	Index      uint64
	Key, Value []byte
}

type apply struct {
	entries  []Entry
	raftDone <-chan struct{} // rx {} after raft has persisted messages
}

type etcdProgress struct {
	snapi    uint64
	appliedi uint64
}

// consistentIndex represents the offset of an entry in a consistent replica log.
// It is always set to the offset of current entry before executing the entry,
// so the KV could get the consistent index from it.
type consistentIndex uint64

func (i *consistentIndex) setConsistentIndex(v uint64) {
	atomic.StoreUint64((*uint64)(i), v)
}

func (i *consistentIndex) ConsistentIndex() uint64 {
	return atomic.LoadUint64((*uint64)(i))
}

type Storage interface {
	// SaveSnap saves the snapshot and releases the locked wal files
	SaveSnap(index uint64, data []byte) error
}

type raftStorage struct {
	mu        sync.Mutex
	snapi     uint64
	compacted uint64
}

func (rs *raftStorage) CreateSnapshot(i uint64) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if i <= rs.snapi {
		return ErrSnapOutOfDate
	}
	rs.snapi = i
	return nil
}

func (rs *raftStorage) Compact(i uint64) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if i > rs.compacted {
		rs.compacted = i
	}
}

type EtcdServer struct {
	snapCount uint64

	applyc      chan apply
	raftStorage raftStorage
	storage     Storage

	kv           *store
	consistIndex consistentIndex // consistIndex used to hold the offset of current executing entry

	stop chan struct{}
	// wg is used to wait for the go routines that depends on the server state
	// to exit when stopping the server.
	wg sync.WaitGroup
}

func NewServer(storage Storage, b *backend) *EtcdServer {
	s := &EtcdServer{
		snapCount: 10000,
		applyc:    make(chan apply),
		storage:   storage,
		stop:      make(chan struct{}),
	}
	s.kv = newStore(b, &s.consistIndex)
	s.wg.Add(1)
	go s.run()
	return s
}

func (s *EtcdServer) KV() *store { return s.kv }

func (s *EtcdServer) run() {
	defer s.wg.Done()
	var ep etcdProgress
	for {
		select {
		case ap := <-s.applyc:
			s.applyAll(&ep, &ap)
		case <-s.stop:
			return
		}
	}
}

func (s *EtcdServer) Stop() {
	close(s.stop)
	s.wg.Wait()
	s.kv.b.Close()
}

func (s *EtcdServer) applyAll(ep *etcdProgress, apply *apply) {
	for i := range apply.entries {
		e := &apply.entries[i]
		s.applyEntryNormal(e)
		ep.appliedi = e.Index
	}
	// wait for the raft routine to finish the disk writes before triggering a
	// snapshot. or applied index might be greater than the last index in raft
	// storage, since the raft routine might be slower than apply routine.
	<-apply.raftDone

	s.triggerSnapshot(ep)
}

// applyEntryNormal applies an EntryNormal type raftpb request to the EtcdServer
func (s *EtcdServer) applyEntryNormal(e *Entry) {
	shouldApplyV3 := false
	if e.Index > s.consistIndex.ConsistentIndex() {
		// set the consistent index of current executing entry
		s.consistIndex.setConsistentIndex(e.Index)
		shouldApplyV3 = true
	}

	// raft state machine may generate noop entry when leader confirmation.
	// skip it in advance to avoid some potential bug in the future
	if len(e.Key) == 0 {
		return
	}

	// do not re-apply applied entries.
	if !shouldApplyV3 {
		return
	}

	s.kv.Put(e.Key, e.Value)
}

func (s *EtcdServer) triggerSnapshot(ep *etcdProgress) {
	if ep.appliedi-ep.snapi <= s.snapCount {
		return
	}

	log.Printf("start to snapshot (applied: %d, lastsnap: %d)", ep.appliedi, ep.snapi)
	s.snapshot(ep.appliedi)
	ep.snapi = ep.appliedi
}

// TODO: non-blocking snapshot
func (s *EtcdServer) snapshot(snapi uint64) {
	// commit kv to write metadata (for example: consistent index) to disk.
	// KV().commit() updates the consistent index in backend.
	// All operations that update consistent index must be called sequentially
	// from applyAll function.
	// So KV().Commit() cannot run in parallel with apply. It has to be called outside
	// the go routine created below.
	s.KV().Commit()

	s.wg.Add(1)
	go func() {
		defer s.wg.Done()

		if err := s.raftStorage.CreateSnapshot(snapi); err != nil {
			// the snapshot was done asynchronously with the progress of raft.
			// raft might have already got a newer snapshot.
			if err == ErrSnapOutOfDate {
				return
			}
			log.Panicf("unexpected create snapshot error %v", err)
		}
		// SaveSnap saves the snapshot and releases the locked wal files
		// to the snapshot index.
		if err := s.storage.SaveSnap(snapi, nil); err != nil {
			log.Fatalf("save snapshot error: %v", err)
		}
		log.Printf("saved snapshot at index %d", snapi)

		// keep some in memory log entries for slow followers.
		compacti := uint64(1)
		if snapi > numberOfCatchUpEntries {
			compacti = snapi - numberOfCatchUpEntries
		}
		s.raftStorage.Compact(compacti)
		log.Printf("compacted raft log at %d", compacti)
	}()
}
