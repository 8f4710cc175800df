// Package ok keeps the list of members of a cluster.
package ok

import (
	"log"
	"sync"
	"time"
)

// Status of a member.
type Status int

const (
	Alive Status = iota
	Suspect
	Dead
)

// Message is a rumour about a member.
type Message struct {
	Status      Status
	Node        string
	Incarnation uint32
}

type nodeState struct {
	name        string
	incarnation uint32
	status      Status
	changed     time.Time
}

// Members follows the rumours.
type Members struct {
	timeout time.Duration
	gossip  func(Message)

	mu     sync.RWMutex
	nodes  map[string]*nodeState
	timers map[string]*time.Timer
}

// Follow processes the rumours from in.
func Follow(in <-chan Message, timeout time.Duration, gossip func(Message)) *Members {
	m := &Members{
		timeout: timeout,
		gossip:  gossip,
		nodes:   make(map[string]*nodeState),
		timers:  make(map[string]*time.Timer),
	}
	for range 4 {
		go func() {
			for msg := range in {
				m.handle(msg)
			}
		}()
	}
	return m
}

func (m *Members) handle(msg Message) {
	switch msg.Status {
	case Alive:
		m.aliveNode(msg)
	case Suspect:
		m.suspectNode(msg)
	case Dead:
		m.deadNode(msg)
	}
}

// setStatus changes the state of a node. The caller holds m.mu.
func (m *Members) setStatus(n *nodeState, s Status, incarnation uint32) time.Time {
	if t := m.timers[n.name]; t != nil {
		t.Stop()
		delete(m.timers, n.name)
	}
	n.status, n.incarnation, n.changed = s, incarnation, time.Now()
	return n.changed
}

func (m *Members) aliveNode(msg Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[msg.Node]
	if !ok {
		n = &nodeState{name: msg.Node}
		m.nodes[msg.Node] = n
	} else if msg.Incarnation <= n.incarnation {
		return
	}
	m.setStatus(n, Alive, msg.Incarnation)
	m.gossip(msg)
}

// suspectNode starts the time in which a node can prove that it lives.
func (m *Members) suspectNode(msg Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[msg.Node]
	if !ok || msg.Incarnation < n.incarnation || n.status != Alive {
		return
	}
	changed := m.setStatus(n, Suspect, msg.Incarnation)
	m.gossip(msg)

	m.timers[n.name] = time.AfterFunc(m.timeout, func() {
		var dead Message
		m.mu.Lock()
		n, ok := m.nodes[msg.Node]
		expired := ok && n.status == Suspect && n.changed.Equal(changed)
		if expired {
			dead = Message{Status: Dead, Node: n.name, Incarnation: n.incarnation}
		}
		m.mu.Unlock()

		if expired {
			log.Printf("marking %s as failed", dead.Node)
			m.deadNode(dead)
		}
	})
}

// deadNode takes a node out, unless it has refuted the rumour.
func (m *Members) deadNode(msg Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[msg.Node]
	if !ok || msg.Incarnation < n.incarnation || n.status == Dead {
		return
	}
	m.setStatus(n, Dead, msg.Incarnation)
	m.gossip(msg)
}

// Alive returns the names of the nodes that are not dead.
func (m *Members) Alive() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var names []string
	for name, n := range m.nodes {
		if n.status != Dead {
			names = append(names, name)
		}
	}
	return names
}
