// Package ok marks members dead that do not refute a suspicion in time.
package ok

import (
	"log"
	"sync"
	"time"
)

type nodeStateType int

const (
	stateAlive nodeStateType = iota
	stateSuspect
	stateDead
)

type nodeState struct {
	Name        string
	Incarnation uint32
	State       nodeStateType
	StateChange time.Time
}

type dead struct {
	Incarnation uint32
	Node        string
	From        string
}

// Memberlist is the local view of the cluster.
type Memberlist struct {
	name    string
	timeout time.Duration

	nodeLock   sync.RWMutex
	nodeMap    map[string]*nodeState
	nodeTimers map[string]*time.Timer
}

// New returns a view that knows nobody.
func New(name string, timeout time.Duration) *Memberlist {
	return &Memberlist{
		name:       name,
		timeout:    timeout,
		nodeMap:    make(map[string]*nodeState),
		nodeTimers: make(map[string]*time.Timer),
	}
}

// Alive handles the news that a node is alive.
func (m *Memberlist) Alive(node string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[node]
	if !ok {
		state = &nodeState{Name: node}
		m.nodeMap[node] = state
	} else if incarnation <= state.Incarnation {
		return
	}
	// Clear out any suspicion timer that may be in effect.
	m.clearTimer(node)
	state.Incarnation, state.State, state.StateChange = incarnation, stateAlive, time.Now()
}

// Suspect handles the news that a node did not answer.
func (m *Memberlist) Suspect(node string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[node]
	if !ok || incarnation < state.Incarnation || state.State != stateAlive {
		return
	}
	state.Incarnation, state.State = incarnation, stateSuspect
	changeTime := time.Now()
	state.StateChange = changeTime
	m.nodeTimers[node] = time.AfterFunc(m.timeout, func() {
		var d *dead
		m.nodeLock.Lock()
		state, ok := m.nodeMap[node]
		timeout := ok && state.State == stateSuspect && state.StateChange.Equal(changeTime)
		if timeout {
			d = &dead{Incarnation: state.Incarnation, Node: state.Name, From: m.name}
		}
		m.nodeLock.Unlock()

		if timeout {
			log.Printf("[INFO] memberlist: Marking %s as failed, suspect timeout reached", node)
			m.deadNode(d)
		}
	})
}

// deadNode is invoked by the network layer too, when we get a message about a
// dead node.
func (m *Memberlist) deadNode(d *dead) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[d.Node]
	// If we've never heard about this node before, ignore it
	if !ok {
		return
	}
	// Ignore old incarnation numbers
	if d.Incarnation < state.Incarnation {
		return
	}
	m.clearTimer(d.Node)
	// Ignore if node is already dead
	if state.State == stateDead {
		return
	}
	state.Incarnation, state.State, state.StateChange = d.Incarnation, stateDead, time.Now()
}

// HandleDead is called for each message about a dead node.
func (m *Memberlist) HandleDead(node, from string, incarnation uint32) {
	m.deadNode(&dead{Incarnation: incarnation, Node: node, From: from})
}

// clearTimer is called with nodeLock held.
func (m *Memberlist) clearTimer(node string) {
	if t, ok := m.nodeTimers[node]; ok {
		t.Stop()
		delete(m.nodeTimers, node)
	}
}
