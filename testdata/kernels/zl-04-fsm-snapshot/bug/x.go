// Package bug is the replicated state machine of a small key-value service.
package bug

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
)

// Op is the kind of a log entry.
type Op uint8

const (
	OpSet Op = iota
	OpAdd
	OpJoin
	OpLeave
)

// Entry is a committed log entry.
type Entry struct {
	Index uint64
	Op    Op
	Key   string
	Value int64
}

// Snapshot stands for all entries up to Index.
type Snapshot struct {
	Index    uint64
	Values   map[string]int64
	Sessions map[string]uint64
}

// FSM applies entries in log order. The consensus goroutine applies; the
// snapshotter and readers run beside it.
type FSM struct {
	mu       sync.RWMutex
	values   map[string]int64
	sessions map[string]uint64 // name to the index it joined at

	applied atomic.Uint64
}

func NewFSM() *FSM {
	return &FSM{values: make(map[string]int64), sessions: make(map[string]uint64)}
}

// Apply brings one entry into the state; entries that are in already (after a
// restore the log is replayed from the start) are passed over.
func (f *FSM) Apply(e Entry) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.Index <= f.applied.Load() {
		return nil
	}
	switch e.Op {
	case OpSet:
		f.values[e.Key] = e.Value
	case OpAdd:
		f.values[e.Key] += e.Value
	case OpJoin:
		f.sessions[e.Key] = e.Index
	case OpLeave:
		delete(f.sessions, e.Key)
	default:
		return fmt.Errorf("fsm: unknown op %d at %d", e.Op, e.Index)
	}
	f.applied.Store(e.Index)
	return nil
}

// LastIndex is the index of the last applied entry.
func (f *FSM) LastIndex() uint64 { return f.applied.Load() }

// Get reads one value.
func (f *FSM) Get(key string) (int64, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	v, ok := f.values[key]
	return v, ok
}

func (f *FSM) copyValues() map[string]int64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return maps.Clone(f.values)
}

func (f *FSM) copySessions() map[string]uint64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return maps.Clone(f.sessions)
}

// Snapshot is called by the snapshotter; the log is truncated up to the
// returned index.
func (f *FSM) Snapshot() *Snapshot {
	return &Snapshot{
		Values:   f.copyValues(),
		Sessions: f.copySessions(),
		Index:    f.LastIndex(),
	}
}

// Restore replaces the state.
func (f *FSM) Restore(s *Snapshot) {
	values, sessions := maps.Clone(s.Values), maps.Clone(s.Sessions)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.values = values
	f.sessions = sessions
	f.applied.Store(s.Index)
}
