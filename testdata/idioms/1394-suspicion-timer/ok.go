package memberlist

import (
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

type alive struct {
	Incarnation uint32
	Node        string
}

type suspect struct {
	Incarnation uint32
	Node        string
}

type dead struct {
	Incarnation uint32
	Node        string
}

type Memberlist struct {
	timeout time.Duration

	nodeLock sync.RWMutex
	nodeMap  map[string]*nodeState
}

func Create(timeout time.Duration) *Memberlist {
	return &Memberlist{timeout: timeout, nodeMap: make(map[string]*nodeState)}
}

func (m *Memberlist) aliveNode(a *alive) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[a.Node]
	if !ok {
		state = &nodeState{Name: a.Node, State: stateDead}
		m.nodeMap[a.Node] = state
	} else if a.Incarnation <= state.Incarnation {
		return
	}
	state.Incarnation = a.Incarnation
	if state.State != stateAlive {
		state.State = stateAlive
		state.StateChange = time.Now()
	}
}

func (m *Memberlist) suspectNode(s *suspect) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[s.Node]
	if !ok || s.Incarnation < state.Incarnation || state.State != stateAlive {
		return
	}
	state.Incarnation = s.Incarnation
	state.State = stateSuspect
	changeTime := time.Now()
	state.StateChange = changeTime

	time.AfterFunc(m.timeout, func() {
		var d *dead
		m.nodeLock.Lock()
		state, ok := m.nodeMap[s.Node]
		if ok && state.State == stateSuspect && state.StateChange.Equal(changeTime) {
			d = &dead{Incarnation: state.Incarnation, Node: state.Name}
		}
		m.nodeLock.Unlock()
		if d != nil {
			m.deadNode(d)
		}
	})
}

func (m *Memberlist) deadNode(d *dead) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[d.Node]
	// Ignore old incarnation numbers and nodes that are dead already
	if !ok || d.Incarnation < state.Incarnation || state.State == stateDead {
		return
	}
	state.Incarnation = d.Incarnation
	state.State = stateDead
	state.StateChange = time.Now()
}
