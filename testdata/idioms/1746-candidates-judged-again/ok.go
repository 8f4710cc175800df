package a

import (
	"slices"
	"sync"
	"time"
)

// member is a node that sends heartbeats.
type member struct {
	addr string
	seen time.Time
}

// candidate is a node that was silent when the list was made.
type candidate struct {
	id   string
	seen time.Time
}

// Members is the membership list of a gossip cluster.
type Members struct {
	mu      sync.RWMutex
	nodes   map[string]*member
	silence time.Duration
	onGone  func(id, addr string)
}

// NewMembers makes an empty list. Nodes that are silent for longer than
// silence are removed by Prune; onGone writes each removal to the audit log.
func NewMembers(silence time.Duration, onGone func(id, addr string)) *Members {
	return &Members{nodes: make(map[string]*member), silence: silence, onGone: onGone}
}

// Heartbeat notes that a node is alive.
func (m *Members) Heartbeat(id, addr string, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[id]
	if !ok {
		m.nodes[id] = &member{addr: addr, seen: at}
		return
	}
	n.addr = addr
	if at.After(n.seen) {
		n.seen = at
	}
}

// Addr returns the address of a node.
func (m *Members) Addr(id string) (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, ok := m.nodes[id]
	if !ok {
		return "", false
	}
	return n.addr, true
}

// silent lists the nodes not heard of since cutoff, the longest first.
func (m *Members) silent(cutoff time.Time) []candidate {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var out []candidate
	for id, n := range m.nodes {
		if n.seen.Before(cutoff) {
			out = append(out, candidate{id: id, seen: n.seen})
		}
	}
	slices.SortFunc(out, func(a, b candidate) int { return a.seen.Compare(b.seen) })
	return out
}

// evict removes a node that is still silent and returns its address.
func (m *Members) evict(id string, cutoff time.Time) (addr string, gone bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[id]
	if !ok || !n.seen.Before(cutoff) {
		return "", false
	}
	delete(m.nodes, id)
	return n.addr, true
}

// Prune removes at most limit silent nodes. The scan takes the read lock
// only, as it visits the whole cluster.
func (m *Members) Prune(now time.Time, limit int) int {
	cutoff := now.Add(-m.silence)
	n := 0
	for _, c := range m.silent(cutoff) {
		if n == limit {
			break
		}
		addr, gone := m.evict(c.id, cutoff)
		if !gone {
			continue
		}
		n++
		if m.onGone != nil {
			m.onGone(c.id, addr)
		}
	}
	return n
}

// Len counts the nodes.
func (m *Members) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.nodes)
}
