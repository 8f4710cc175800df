package etcdserver

import (
	"errors"
	"log"
	"sync"
)

var (
	ErrSnapOutOfDate = errors.New("requested index is older than the existing snapshot")
	ErrCompacted     = errors.New("requested index is unavailable due to compaction")
)

const numberOfCatchUpEntries = 5000

type Snapshot struct {
	Index uint64
	Data  map[string]string
}

// MemoryStorage implements the Storage interface backed by an
// in-memory array.
type MemoryStorage struct {
	sync.Mutex

	snapshot Snapshot
	first    uint64
}

// CreateSnapshot makes a snapshot which can be retrieved with Snapshot() and
// can be used to reconstruct the state at that point.
func (ms *MemoryStorage) CreateSnapshot(i uint64, data map[string]string) (Snapshot, error) {
	ms.Lock()
	defer ms.Unlock()
	if i <= ms.snapshot.Index {
		return Snapshot{}, ErrSnapOutOfDate
	}
	ms.snapshot = Snapshot{Index: i, Data: data}
	return ms.snapshot, nil
}

// ApplySnapshot overwrites the contents of this Storage object with
// those of the given snapshot.
func (ms *MemoryStorage) ApplySnapshot(snap Snapshot) error {
	ms.Lock()
	defer ms.Unlock()
	if ms.snapshot.Index >= snap.Index {
		return ErrSnapOutOfDate
	}
	ms.snapshot = snap
	ms.first = snap.Index + 1
	return nil
}

// Compact discards all log entries prior to compactIndex.
func (ms *MemoryStorage) Compact(compactIndex uint64) error {
	ms.Lock()
	defer ms.Unlock()
	if compactIndex <= ms.first {
		return ErrCompacted
	}
	ms.first = compactIndex
	return nil
}

type store struct {
	mu   sync.RWMutex
	root map[string]string
}

func (s *store) Set(k, v string) {
	s.mu.Lock()
	s.root[k] = v
	s.mu.Unlock()
}

func (s *store) Clone() map[string]string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c := make(map[string]string, len(s.root))
	for k, v := range s.root {
		c[k] = v
	}
	return c
}

type etcdProgress struct {
	snapi    uint64
	appliedi uint64
}

type entry struct {
	index      uint64
	key, value string
}

type EtcdServer struct {
	snapCount   uint64
	store       *store
	raftStorage *MemoryStorage
	saveSnap    func(Snapshot) error
	applyc      chan []entry
	incoming    chan Snapshot
	stop        chan struct{}
	wg          sync.WaitGroup
}

func (s *EtcdServer) Start() {
	s.wg.Add(2)
	go s.run()
	go s.raftLoop()
}

// run applies the committed entries.
func (s *EtcdServer) run() {
	defer s.wg.Done()
	var ep etcdProgress
	for {
		select {
		case ents := <-s.applyc:
			for _, e := range ents {
				s.store.Set(e.key, e.value)
				ep.appliedi = e.index
			}
			if ep.appliedi-ep.snapi > s.snapCount {
				s.snapshot(ep.appliedi)
				ep.snapi = ep.appliedi
			}
		case <-s.stop:
			return
		}
	}
}

func (s *EtcdServer) raftLoop() {
	defer s.wg.Done()
	for {
		select {
		case snap := <-s.incoming:
			if err := s.raftStorage.ApplySnapshot(snap); err != nil {
				log.Printf("ignored snapshot at index %d: %v", snap.Index, err)
			}
		case <-s.stop:
			return
		}
	}
}

func (s *EtcdServer) snapshot(snapi uint64) {
	clone := s.store.Clone()

	s.wg.Add(1)
	go func() {
		defer s.wg.Done()

		snap, err := s.raftStorage.CreateSnapshot(snapi, clone)
		if err != nil {
			// the snapshot was done asynchronously with the progress of raft.
			// raft might have already got a newer snapshot.
			if err == ErrSnapOutOfDate {
				return
			}
			log.Panicf("unexpected create snapshot error %v", err)
		}
		// SaveSnap saves the snapshot and releases the locked wal files
		// to the snapshot index.
		if err = s.saveSnap(snap); err != nil {
			log.Panicf("save snapshot error: %v", err)
		}

		// keep some in memory log entries for slow followers.
		compacti := uint64(1)
		if snapi > numberOfCatchUpEntries {
			compacti = snapi - numberOfCatchUpEntries
		}
		err = s.raftStorage.Compact(compacti)
		if err != nil {
			// the compaction was done asynchronously with the progress of raft.
			// raft log might already been compact.
			if err == ErrCompacted {
				return
			}
			log.Panicf("unexpected compaction error %v", err)
		}
	}()
}
