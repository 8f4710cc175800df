package a

import (
	"sync"
	"time"
)

type NodeStateType int

const (
	StateAlive NodeStateType = iota
	StateSuspect
	StateDead
)

type alive struct {
	Incarnation uint32
	Node        string
	Addr        string
}

type suspect struct {
	Incarnation uint32
	Node        string
	From        string
}

type dead struct {
	Incarnation uint32
	Node        string
}

// nodeState is what this member believes of another.
type nodeState struct {
	Name        string
	Addr        string
	Incarnation uint32
	State       NodeStateType
	StateChange uint64 // Memberlist.changes at the last transition
}

// Memberlist keeps the view of the cluster by gossip. Facts with a higher
// incarnation supersede those with a lower one; only the node itself raises
// its incarnation, to refute a suspicion.
type Memberlist struct {
	suspicionTimeout time.Duration
	broadcast        func(msg any)
	notifyLeave      func(name string)

	nodeLock   sync.RWMutex
	changes    uint64
	nodeMap    map[string]*nodeState
	nodeTimers map[string]*time.Timer
}

func New(timeout time.Duration, broadcast func(any), leave func(string)) *Memberlist {
	return &Memberlist{
		suspicionTimeout: timeout,
		broadcast:        broadcast,
		notifyLeave:      leave,
		nodeMap:          make(map[string]*nodeState),
		nodeTimers:       make(map[string]*time.Timer),
	}
}

// setState records a transition. The caller holds m.nodeLock.
func (m *Memberlist) setState(s *nodeState, to NodeStateType) {
	m.changes++
	s.State = to
	s.StateChange = m.changes
}

// stopTimer ends the suspicion of a node. The caller holds m.nodeLock.
func (m *Memberlist) stopTimer(name string) {
	if t, ok := m.nodeTimers[name]; ok {
		t.Stop()
		delete(m.nodeTimers, name)
	}
}

// aliveNode is called for news that a node is alive.
func (m *Memberlist) aliveNode(a *alive) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[a.Node]
	if !ok {
		state = &nodeState{Name: a.Node}
		m.nodeMap[a.Node] = state
	} else if a.Incarnation <= state.Incarnation {
		return
	}
	m.stopTimer(a.Node)
	state.Addr = a.Addr
	state.Incarnation = a.Incarnation
	m.setState(state, StateAlive)
	m.broadcast(a)
}

// suspectNode is called when a node does not answer, or when another member
// suspects it. The node has the whole suspicion timeout to refute.
func (m *Memberlist) suspectNode(s *suspect) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[s.Node]
	if !ok || s.Incarnation < state.Incarnation || state.State != StateAlive {
		return
	}
	state.Incarnation = s.Incarnation
	m.setState(state, StateSuspect)
	m.broadcast(s)

	name := s.Node
	m.nodeTimers[name] = time.AfterFunc(m.suspicionTimeout, func() {
		m.nodeLock.RLock()
		state, ok := m.nodeMap[name]
		timeout := ok && state.State == StateSuspect
		var d dead
		if timeout {
			d = dead{Incarnation: state.Incarnation, Node: name}
		}
		m.nodeLock.RUnlock()
		if timeout {
			m.deadNode(&d)
		}
	})
}

// deadNode is called for news that a node has failed.
func (m *Memberlist) deadNode(d *dead) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[d.Node]
	if !ok || d.Incarnation < state.Incarnation || state.State == StateDead {
		return
	}
	m.stopTimer(d.Node)
	state.Incarnation = d.Incarnation
	m.setState(state, StateDead)
	m.broadcast(d)
	m.notifyLeave(d.Node)
}

// Members lists the nodes that are not known to be dead.
func (m *Memberlist) Members() []nodeState {
	m.nodeLock.RLock()
	defer m.nodeLock.RUnlock()
	var out []nodeState
	for _, s := range m.nodeMap {
		if s.State != StateDead {
			out = append(out, *s)
		}
	}
	return out
}
