// Package ok marks members of a cluster as failed after a while of suspicion.
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

// nodeState is used to manage our state view of another node
type nodeState struct {
	Name        string
	Incarnation uint32        // Last known incarnation number
	State       nodeStateType // Current state
	StateChange time.Time     // Time last state change happened
}

// Memberlist is our view of the cluster.
type Memberlist struct {
	suspicionTimeout time.Duration
	notifyLeave      func(node string)
	broadcast        func(kind, node string, incarnation uint32)

	nodeLock   sync.RWMutex
	nodeMap    map[string]*nodeState  // Maps Node.Name -> NodeState
	nodeTimers map[string]*time.Timer // Maps Node.Name -> suspicion timer
}

// New returns an empty list. The functions must not block.
func New(timeout time.Duration, notifyLeave func(string), broadcast func(string, string, uint32)) *Memberlist {
	return &Memberlist{
		suspicionTimeout: timeout,
		notifyLeave:      notifyLeave,
		broadcast:        broadcast,
		nodeMap:          make(map[string]*nodeState),
		nodeTimers:       make(map[string]*time.Timer),
	}
}

// Alive is invoked by the network layer when we get a message
// about a live node.
func (m *Memberlist) Alive(node string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[node]
	if !ok {
		state = &nodeState{Name: node, State: stateDead}
		m.nodeMap[node] = state
	} else if incarnation <= state.Incarnation {
		// Bail if the incarnation number is older
		return
	}

	// Clear out any suspicion timer that may be in effect.
	delete(m.nodeTimers, node)

	m.broadcast("alive", node, incarnation)
	state.Incarnation = incarnation
	if state.State != stateAlive {
		state.State = stateAlive
		state.StateChange = time.Now()
	}
}

// Suspect is invoked by the network layer when we get a message
// about a suspect node
func (m *Memberlist) Suspect(node string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[node]

	// If we've never heard about this node before, ignore it
	if !ok {
		return
	}

	// Ignore old incarnation numbers
	if incarnation < state.Incarnation {
		return
	}

	// Ignore non-alive nodes
	if state.State != stateAlive {
		return
	}
	m.broadcast("suspect", node, incarnation)

	// Update the state
	state.Incarnation = incarnation
	state.State = stateSuspect
	changeTime := time.Now()
	state.StateChange = changeTime

	m.nodeTimers[node] = time.AfterFunc(m.suspicionTimeout, func() {
		var inc uint32

		m.nodeLock.Lock()
		state, ok := m.nodeMap[node]
		timeout := ok && state.State == stateSuspect && state.StateChange.Equal(changeTime)
		if timeout {
			inc = state.Incarnation
		}
		m.nodeLock.Unlock()

		if timeout {
			log.Printf("[INFO] memberlist: Marking %s as failed, suspect timeout reached", node)
			m.Dead(node, inc)
		}
	})
}

// Dead is invoked by the network layer when we get a message
// about a dead node
func (m *Memberlist) Dead(node string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[node]

	// If we've never heard about this node before, ignore it
	if !ok {
		return
	}

	// Ignore old incarnation numbers
	if incarnation < state.Incarnation {
		return
	}

	// Clear out any suspicion timer that may be in effect.
	delete(m.nodeTimers, node)

	// Ignore if node is already dead
	if state.State == stateDead {
		return
	}
	m.broadcast("dead", node, incarnation)

	// Update the state
	state.Incarnation = incarnation
	state.State = stateDead
	state.StateChange = time.Now()

	// Notify of death
	m.notifyLeave(node)
}

// NumMembers returns the number of alive members.
func (m *Memberlist) NumMembers() (alive int) {
	m.nodeLock.RLock()
	defer m.nodeLock.RUnlock()
	for _, n := range m.nodeMap {
		if n.State != stateDead {
			alive++
		}
	}
	return
}

// Suspects returns the nodes that have a timer.
func (m *Memberlist) Suspects() (names []string) {
	m.nodeLock.RLock()
	defer m.nodeLock.RUnlock()
	for name := range m.nodeTimers {
		names = append(names, name)
	}
	return
}
