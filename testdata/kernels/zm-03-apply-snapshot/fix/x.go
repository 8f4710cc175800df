package fix

import (
	"maps"
	"sync"
)

// Entry is one replicated command.
type Entry struct {
	Index    uint64
	Key, Val string
}

// Snapshot is the state of a machine after the entry Index.
type Snapshot struct {
	Index uint64
	Data  map[string]string
}

// Machine is the replicated map.
type Machine struct {
	mu   sync.RWMutex
	data map[string]string
}

func (m *Machine) apply(e Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.data[e.Key] = e.Val
}

func (m *Machine) restore(data map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.data = maps.Clone(data)
	if m.data == nil {
		m.data = make(map[string]string)
	}
}

func (m *Machine) Get(k string) (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.data[k]
	return v, ok
}

// Replica holds the log of a follower and feeds its machine.
type Replica struct {
	machine *Machine
	wake    chan struct{}
	quit    chan struct{}

	applyMu sync.Mutex // who changes the machine; before mu

	mu      sync.Mutex
	first   uint64 // index of log[0]
	log     []Entry
	commit  uint64
	applied uint64
}

// NewReplica starts the applier; Close ends it.
func NewReplica() *Replica {
	r := &Replica{
		machine: &Machine{data: make(map[string]string)},
		wake:    make(chan struct{}, 1),
		quit:    make(chan struct{}),
		first:   1,
	}
	go r.run()
	return r
}

func (r *Replica) run() {
	for {
		select {
		case <-r.wake:
			r.applyReady()
		case <-r.quit:
			return
		}
	}
}

func (r *Replica) Close() { close(r.quit) }

func (r *Replica) Machine() *Machine { return r.machine }

// Append is called by the stream from the leader.
func (r *Replica) Append(key, val string) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	idx := r.first + uint64(len(r.log))
	r.log = append(r.log, Entry{Index: idx, Key: key, Val: val})
	return idx
}

// Commit is called by the heartbeat from the leader.
func (r *Replica) Commit(idx uint64) {
	r.mu.Lock()
	if last := r.first + uint64(len(r.log)) - 1; idx > last {
		idx = last
	}
	if idx > r.commit {
		r.commit = idx
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *Replica) ready() []Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.commit <= r.applied {
		return nil
	}
	part := r.log[r.applied+1-r.first : r.commit+1-r.first]
	return append([]Entry(nil), part...)
}

func (r *Replica) applyReady() {
	r.applyMu.Lock()
	defer r.applyMu.Unlock()
	batch := r.ready()
	if len(batch) == 0 {
		return
	}
	for _, e := range batch {
		r.machine.apply(e)
	}
	r.mu.Lock()
	r.applied = batch[len(batch)-1].Index
	r.mu.Unlock()
}

// InstallSnapshot is called by the snapshot receiver when this replica has
// fallen too far behind for the log.
func (r *Replica) InstallSnapshot(s Snapshot) bool {
	r.applyMu.Lock()
	defer r.applyMu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.Index <= r.applied {
		return false
	}
	if last := r.first + uint64(len(r.log)) - 1; s.Index >= last {
		r.log = nil
	} else {
		r.log = append([]Entry(nil), r.log[s.Index+1-r.first:]...)
	}
	r.first = s.Index + 1
	r.commit = max(r.commit, s.Index)
	r.applied = s.Index
	r.machine.restore(s.Data)
	return true
}
