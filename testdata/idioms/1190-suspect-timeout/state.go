package memberlist

import (
	"log"
	"sync"
	"time"
)

// NodeStateType is the state of a member.
type NodeStateType int

const (
	StateAlive NodeStateType = iota
	StateSuspect
	StateDead
)

type alive struct {
	Incarnation uint32
	Node        string
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

type nodeState struct {
	Name        string
	Incarnation uint32
	State       NodeStateType
	StateChange time.Time
}

// Memberlist is the list of the members of the cluster.
type Memberlist struct {
	name    string
	timeout time.Duration
	logger  *log.Logger

	broadcast   func(node string, msg any)
	notifyLeave func(node string)

	nodeLock   sync.RWMutex
	nodeMap    map[string]*nodeState
	nodeTimers map[string]*time.Timer
}

func newMemberlist(name string, timeout time.Duration, logger *log.Logger, broadcast func(string, any), leave func(string)) *Memberlist {
	return &Memberlist{
		name:        name,
		timeout:     timeout,
		logger:      logger,
		broadcast:   broadcast,
		notifyLeave: leave,
		nodeMap:     make(map[string]*nodeState),
		nodeTimers:  make(map[string]*time.Timer),
	}
}

// resetNodes is used when the tick wraps around. It will reap the
// dead nodes.
func (m *Memberlist) resetNodes() {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	for name, state := range m.nodeMap {
		if state.State == StateDead {
			delete(m.nodeMap, name)
		}
	}
}

// aliveNode is invoked by the network layer when we get a message about a
// live node.
func (m *Memberlist) aliveNode(a *alive) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[a.Node]
	if !ok {
		state = &nodeState{Name: a.Node, State: StateDead}
		m.nodeMap[a.Node] = state
	} else if a.Incarnation <= state.Incarnation {
		// Bail if the incarnation number is older
		return
	}

	// Clear out any suspicion timer that may be in effect.
	if timer, ok := m.nodeTimers[a.Node]; ok {
		timer.Stop()
		delete(m.nodeTimers, a.Node)
	}

	m.broadcast(a.Node, a)
	state.Incarnation = a.Incarnation
	if state.State != StateAlive {
		state.State = StateAlive
		state.StateChange = time.Now()
	}
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
	m.broadcast(s.Node, s)

	// Update the state
	state.Incarnation = s.Incarnation
	state.State = StateSuspect
	changeTime := time.Now()
	state.StateChange = changeTime

	fn := func() {
		var d *dead

		m.nodeLock.Lock()
		state, ok := m.nodeMap[s.Node]
		timeout := ok && state.State == StateSuspect && state.StateChange.Equal(changeTime)
		if timeout {
			d = &dead{Incarnation: state.Incarnation, Node: state.Name, From: m.name}
		}
		m.nodeLock.Unlock()

		if timeout {
			m.logger.Printf("[INFO] memberlist: Marking %s as failed, suspect timeout reached", d.Node)
			m.deadNode(d)
		}
	}
	m.nodeTimers[s.Node] = time.AfterFunc(m.timeout, fn)
}

// deadNode is invoked by the network layer when we get a message
// about a dead node
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

	// Clear out any suspicion timer that may be in effect.
	if timer, ok := m.nodeTimers[d.Node]; ok {
		timer.Stop()
		delete(m.nodeTimers, d.Node)
	}

	// Ignore if node is already dead
	if state.State == StateDead {
		return
	}
	m.broadcast(d.Node, d)

	// Update the state
	state.Incarnation = d.Incarnation
	state.State = StateDead
	state.StateChange = time.Now()
	m.notifyLeave(d.Node)
}
