// Package mirror keeps a local copy of a remote key space.
package mirror

import (
	"context"
	"fmt"
	"sync"
)

// Event is one change in the key space.
type Event struct {
	Rev     uint64
	Key     string
	Value   string
	Deleted bool
}

// Remote is the key space to copy.
type Remote interface {
	// Watch arranges for fn to be called for every change made after Watch has
	// returned (and maybe some made shortly before), one at a time, in order of
	// revision. No call is made after stop has returned.
	Watch(fn func(Event)) (stop func())
	// List returns all keys as they are at some moment during the call, and the
	// revision of that moment.
	List(ctx context.Context) (map[string]string, uint64, error)
}

// Mirror answers reads from the local copy. It is safe for concurrent use.
type Mirror struct {
	stop func()

	mu     sync.RWMutex
	synced bool
	early  []Event // events received before the copy was installed
	rev    uint64
	values map[string]string
}

// Start copies the key space and follows its changes until Stop.
func Start(ctx context.Context, remote Remote) (*Mirror, error) {
	m := &Mirror{}
	m.stop = remote.Watch(m.receive)
	values, rev, err := remote.List(ctx)
	if err != nil {
		m.stop()
		return nil, fmt.Errorf("mirror: %w", err)
	}
	m.install(values, rev)
	return m, nil
}

// receive takes one event from the watch.
func (m *Mirror) receive(ev Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.synced {
		m.early = append(m.early, ev)
		return
	}
	m.apply(ev)
}

// install sets the copy and catches up with the events that came in meanwhile.
func (m *Mirror) install(values map[string]string, rev uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values = make(map[string]string, len(values))
	for k, v := range values {
		m.values[k] = v
	}
	m.rev = rev
	for _, ev := range m.early {
		m.apply(ev)
	}
	m.early = nil
	m.synced = true
}

// apply carries out ev unless the copy has it already. The caller holds m.mu.
func (m *Mirror) apply(ev Event) {
	if ev.Rev <= m.rev {
		return
	}
	m.rev = ev.Rev
	if ev.Deleted {
		delete(m.values, ev.Key)
		return
	}
	m.values[ev.Key] = ev.Value
}

// Get returns the value of key and the revision of the copy.
func (m *Mirror) Get(key string) (value string, rev uint64, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	value, ok = m.values[key]
	return value, m.rev, ok
}

// Len returns the number of keys.
func (m *Mirror) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.values)
}

// Stop ends the watch; the copy stays as it is. It is called once.
func (m *Mirror) Stop() { m.stop() }
