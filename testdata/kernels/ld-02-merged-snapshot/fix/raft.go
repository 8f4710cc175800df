package etcdserver

import "sync"

const MsgSnap = 7

type ConfState struct{ Nodes []uint64 }

type Entry struct {
	Index, Term uint64
	Node        uint64
	Key, Value  string
}

type SnapshotMetadata struct {
	Index, Term uint64
	ConfState   ConfState
}

type Snapshot struct {
	Metadata SnapshotMetadata
	Data     map[string]string
}

type Message struct {
	Type     int
	To       uint64
	Snapshot Snapshot
}

type Ready struct {
	CommittedEntries []Entry
	Messages         []Message
}

type Transporter interface {
	Send([]Message)
	SendSnapshot(Message)
}

type memoryStorage struct {
	sync.Mutex
	snapshot Snapshot
	terms    map[uint64]uint64
}

func (ms *memoryStorage) Snapshot() Snapshot {
	ms.Lock()
	defer ms.Unlock()
	return ms.snapshot
}

func (ms *memoryStorage) Term(i uint64) uint64 {
	ms.Lock()
	defer ms.Unlock()
	return ms.terms[i]
}

func (ms *memoryStorage) CreateSnapshot(i uint64, cs ConfState, data map[string]string) {
	ms.Lock()
	defer ms.Unlock()
	if i <= ms.snapshot.Metadata.Index {
		return
	}
	ms.snapshot = Snapshot{Metadata: SnapshotMetadata{Index: i, Term: ms.terms[i], ConfState: cs}, Data: data}
}

func (ms *memoryStorage) Append(ents []Entry) {
	ms.Lock()
	defer ms.Unlock()
	for _, e := range ents {
		ms.terms[e.Index] = e.Term
	}
}

type raftNode struct {
	readyc      chan Ready
	applyc      chan apply
	raftStorage *memoryStorage
	transport   Transporter
	stopped     chan struct{}
	done        chan struct{}
}

func (r *raftNode) start(s *EtcdServer) {
	go func() {
		defer close(r.done)
		for {
			select {
			case rd := <-r.readyc:
				raftDone := make(chan struct{}, 1)
				select {
				case r.applyc <- apply{entries: rd.CommittedEntries, raftDone: raftDone}:
				case <-r.stopped:
					return
				}
				r.raftStorage.Append(rd.CommittedEntries)
				s.send(rd.Messages)
				raftDone <- struct{}{}
			case <-r.stopped:
				return
			}
		}
	}()
}

func (r *raftNode) stop() {
	close(r.stopped)
	<-r.done
}
