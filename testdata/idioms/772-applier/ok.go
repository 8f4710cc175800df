// Package applier applies the committed entries of a replicated log to a table
// of counters.
package applier

import (
	"context"
	"maps"
	"sync"
	"time"
)

// Entry is one committed command.
type Entry struct {
	Index uint64
	Key   string
	Delta int64
}

// Log gives access to committed entries.
type Log interface {
	// Entries returns up to limit committed entries from index lo on.
	Entries(lo uint64, limit int) ([]Entry, error)
	// Committed is signalled when entries were committed.
	Committed() <-chan struct{}
}

// Machine is the state machine. Any goroutine may read from it.
type Machine struct {
	log   Log
	batch int
	retry time.Duration

	mu      sync.RWMutex
	applied uint64
	values  map[string]int64
	lastErr error

	cancel context.CancelFunc
	done   chan struct{}
}

// Start returns a machine that follows log from its first entry.
func Start(log Log, batch int) *Machine {
	ctx, cancel := context.WithCancel(context.Background())
	m := &Machine{
		log:    log,
		batch:  batch,
		retry:  100 * time.Millisecond,
		values: make(map[string]int64),
		cancel: cancel,
		done:   make(chan struct{}),
	}
	go m.run(ctx)
	return m
}

// Applied is the index of the last entry that was applied.
func (m *Machine) Applied() uint64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.applied
}

// Get returns the value of a counter.
func (m *Machine) Get(key string) int64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.values[key]
}

// Snapshot returns all counters and the index that they are the result of.
func (m *Machine) Snapshot() (map[string]int64, uint64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return maps.Clone(m.values), m.applied
}

// Err is the error of the last attempt to read the log.
func (m *Machine) Err() error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.lastErr
}

// Close stops the machine.
func (m *Machine) Close() {
	m.cancel()
	<-m.done
}

func (m *Machine) run(ctx context.Context) {
	defer close(m.done)
	for {
		more, err := m.step()
		m.mu.Lock()
		m.lastErr = err
		m.mu.Unlock()
		if more && err == nil {
			if ctx.Err() != nil {
				return
			}
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-m.log.Committed():
		case <-time.After(m.retry):
		}
	}
}

// step applies one batch and reports whether there was anything to do.
func (m *Machine) step() (bool, error) {
	applied := m.Applied()
	entries, err := m.log.Entries(applied+1, m.batch)
	if err != nil || len(entries) == 0 {
		return false, err
	}
	changed := make(map[string]int64)
	for _, e := range entries {
		v, ok := changed[e.Key]
		if !ok {
			v = m.Get(e.Key)
		}
		changed[e.Key] = v + e.Delta
		applied = e.Index
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.values, changed)
	m.applied = applied
	return true, nil
}
