// Package a keeps the member list of a gossip cluster.
package a

import (
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Status is what we believe of a member.
type Status int

const (
	Alive Status = iota
	Suspect
	Dead
)

// Event is reported to the delegate.
type Event struct {
	Name   string
	Status Status
}

// suspicion is a member's chance to refute; each one has a timer of its own.
type suspicion struct {
	from  string
	start time.Time
	timer *time.Timer
}

type member struct {
	name        string
	addr        string
	incarnation uint64
	status      Status
	changed     time.Time
	suspicion   *suspicion
}

// Members is the list.
type Members struct {
	self    string
	timeout time.Duration
	events  chan<- Event

	mu      sync.Mutex
	nodes   map[string]*member
	ownInc  uint64
	stopped bool

	suspected atomic.Int64
	refuted   atomic.Int64
	died      atomic.Int64
	lost      atomic.Int64 // events that nobody took
}

// NewMembers returns a list that holds nobody yet.
func NewMembers(self string, timeout time.Duration, events chan<- Event) *Members {
	return &Members{self: self, timeout: timeout, events: events, nodes: make(map[string]*member)}
}

// Alive handles an alive message. A newer incarnation refutes a suspicion.
func (m *Members) Alive(name, addr string, inc uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped {
		return
	}
	n, ok := m.nodes[name]
	if !ok {
		n = &member{name: name, status: Dead}
		m.nodes[name] = n
	} else if inc <= n.incarnation {
		return
	}
	if n.suspicion != nil {
		n.suspicion.timer.Stop()
		n.suspicion = nil
		m.refuted.Add(1)
	}
	was := n.status
	n.addr, n.incarnation = addr, inc
	if was != Alive {
		n.status, n.changed = Alive, time.Now()
	}
	if was == Dead {
		m.notify(Event{name, Alive})
	}
}

// Suspect handles a suspect message from another member or from our prober.
// If the member does not refute it in time it is declared dead.
func (m *Members) Suspect(name, from string, inc uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[name]
	if m.stopped || !ok || inc < n.incarnation {
		return
	}
	if name == m.self {
		if inc >= m.ownInc {
			m.ownInc = inc + 1
		}
		return
	}
	if n.status != Alive {
		return
	}
	n.incarnation = inc
	n.status, n.changed = Suspect, time.Now()
	s := &suspicion{from: from, start: n.changed}
	n.suspicion = s
	m.suspected.Add(1)
	m.notify(Event{name, Suspect})

	s.timer = time.AfterFunc(m.timeout, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		n, ok := m.nodes[name]
		if m.stopped || !ok || n.status != Suspect {
			return
		}
		log.Printf("members: %s did not refute the suspicion of %s since %v", name, s.from, s.start)
		m.markDead(n)
	})
}

// Left handles a leave message that the member sent itself.
func (m *Members) Left(name string, inc uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[name]
	if m.stopped || !ok || inc < n.incarnation || n.status == Dead {
		return
	}
	n.incarnation = inc
	m.markDead(n)
}

// markDead ends a member; the lock is held.
func (m *Members) markDead(n *member) {
	if n.suspicion != nil {
		n.suspicion.timer.Stop()
		n.suspicion = nil
	}
	n.status, n.changed = Dead, time.Now()
	m.died.Add(1)
	m.notify(Event{n.name, Dead})
}

// notify must not block: the delegate gets what it can take.
func (m *Members) notify(e Event) {
	select {
	case m.events <- e:
	default:
		m.lost.Add(1)
	}
}

// Incarnation is the number that our own alive messages carry.
func (m *Members) Incarnation() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ownInc
}

// Count returns how many members have the status.
func (m *Members) Count(s Status) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := 0
	for _, n := range m.nodes {
		if n.status == s {
			c++
		}
	}
	return c
}

// Stop ends all timers.
func (m *Members) Stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = true
	for _, n := range m.nodes {
		if n.suspicion != nil {
			n.suspicion.timer.Stop()
			n.suspicion = nil
		}
	}
}
