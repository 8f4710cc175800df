// Package ok detects failed members.
package ok

import (
	"sync"
	"time"
)

// NodeStateType is the state of a member.
type NodeStateType int

// The states.
const (
	StateAlive NodeStateType = iota
	StateSuspect
	StateDead
)

type nodeState struct {
	Name        string
	Incarnation uint32
	State       NodeStateType
	StateChange time.Time
}

type suspect struct {
	Incarnation uint32
	Node        string
	From        string
}

type dead struct {
	Incarnation uint32
	Node        string
	From        string
}

type alive struct {
	Incarnation uint32
	Node        string
}

// Memberlist is the view of one member.
type Memberlist struct {
	name    string
	timeout time.Duration

	nodeLock   sync.RWMutex
	nodeMap    map[string]*nodeState
	nodeTimers map[string]*time.Timer

	broadcast func(msg any)
}

// suspectNode is invoked by the network layer when we get a message
// about a suspect node
func (m *Memberlist) suspectNode(s *suspect) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[s.Node]

	// If we've never heard about this node before, ignore it
	if !ok {
		return
	}
	// Ignore old incarnation numbers
	if s.Incarnation < state.Incarnation {
		return
	}
	// Ignore non-alive nodes
	if state.State != StateAlive {
		return
	}

	// Update the state
	state.Incarnation = s.Incarnation
	state.State = StateSuspect
	changeTime := time.Now()
	state.StateChange = changeTime
	m.broadcast(s)

	// Setup a suspicion timer.
	m.nodeTimers[s.Node] = time.AfterFunc(m.timeout, func() {
		var d *dead

		m.nodeLock.Lock()
		state, ok := m.nodeMap[s.Node]
		timeout := ok && state.State == StateSuspect && state.StateChange.Equal(changeTime)
		if timeout {
			d = &dead{Incarnation: state.Incarnation, Node: state.Name, From: m.name}
		}
		m.nodeLock.Unlock()

		if timeout {
			m.deadNode(d)
		}
	})
}

// deadNode is invoked by the network layer when we get a message
// about a dead node
func (m *Memberlist) deadNode(d *dead) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[d.Node]
	if !ok {
		return
	}

	// Ignore old incarnation numbers; an alive message raises them
	if d.Incarnation < state.Incarnation {
		return
	}

	// Clear out any suspicion timer that may be in effect.
	m.stopTimer(d.Node)

	// Ignore if node is already dead
	if state.State == StateDead {
		return
	}
	state.Incarnation = d.Incarnation
	state.State = StateDead
	state.StateChange = time.Now()
	m.broadcast(d)
}

// aliveNode is invoked by the network layer when we get a message
// about a live node.
func (m *Memberlist) aliveNode(a *alive) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[a.Node]
	if !ok {
		state = &nodeState{Name: a.Node, State: StateDead}
		m.nodeMap[a.Node] = state
	} else if a.Incarnation <= state.Incarnation {
		return
	}
	m.stopTimer(a.Node)
	state.Incarnation = a.Incarnation
	if state.State != StateAlive {
		state.State = StateAlive
		state.StateChange = time.Now()
	}
	m.broadcast(a)
}

func (m *Memberlist) stopTimer(node string) {
	if t, ok := m.nodeTimers[node]; ok {
		t.Stop()
		delete(m.nodeTimers, node)
	}
}
