package cluster

import "sync"

type opType uint8

const (
	assignConsumer opType = iota
	removeConsumer
)

type entry struct {
	op opType
	ca *consumerAssignment
}

// metaLog hands proposals, in order, to the applying goroutine.
type metaLog struct {
	ready chan struct{}

	mu      sync.Mutex
	entries []entry
}

func newMetaLog() *metaLog { return &metaLog{ready: make(chan struct{}, 1)} }

func (m *metaLog) propose(e entry) {
	m.mu.Lock()
	m.entries = append(m.entries, e)
	m.mu.Unlock()
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

func (m *metaLog) take() []entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	es := m.entries
	m.entries = nil
	return es
}
