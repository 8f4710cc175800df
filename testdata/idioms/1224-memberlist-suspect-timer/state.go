package memberlist

import (
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// NodeStateType is the state of a node.
type NodeStateType int

const (
	StateAlive NodeStateType = iota
	StateSuspect
	StateDead
	StateLeft
)

// nodeState is used to manage our state view of another node
type nodeState struct {
	Name        string
	Addr        string
	Incarnation uint32        // Last known incarnation number
	State       NodeStateType // Current state
	StateChange time.Time     // Time last state change happened
}

// DeadOrLeft returns true if the node state is dead or left
func (n *nodeState) DeadOrLeft() bool {
	return n.State == StateDead || n.State == StateLeft
}

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
	From        string
}

// Config of a Memberlist.
type Config struct {
	Name                    string
	SuspicionMult           int
	SuspicionMaxTimeoutMult int
	ProbeInterval           time.Duration
	NotifyLeave             func(name string)
}

// Memberlist holds the state of all known nodes.
type Memberlist struct {
	incarnation uint32 // Local incarnation number
	numNodes    uint32 // Number of known nodes (estimate)
	leave       int32

	config *Config
	logger *log.Logger

	nodeLock   sync.RWMutex
	nodes      []*nodeState          // Known nodes
	nodeMap    map[string]*nodeState // Maps Node.Name -> NodeState
	nodeTimers map[string]*suspicion // Maps Node.Name -> suspicion timer

	broadcasts chan interface{}
}

func (m *Memberlist) estNumNodes() int { return int(atomic.LoadUint32(&m.numNodes)) }

func (m *Memberlist) hasLeft() bool { return atomic.LoadInt32(&m.leave) == 1 }

func (m *Memberlist) encodeAndBroadcast(node string, msg interface{}) {
	select {
	case m.broadcasts <- msg:
	default:
		m.logger.Printf("[WARN] memberlist: broadcast queue full (about: %s)", node)
	}
}

// refute gossips an alive message in response to incoming information that we
// are suspect or dead. This alters the node state that's passed in so this MUST
// be called while the nodeLock is held.
func (m *Memberlist) refute(me *nodeState, accusedInc uint32) {
	// Make sure the incarnation number beats the accusation.
	inc := atomic.AddUint32(&m.incarnation, 1)
	if accusedInc >= inc {
		inc = atomic.AddUint32(&m.incarnation, accusedInc-inc+1)
	}
	me.Incarnation = inc

	// Format and broadcast an alive message.
	m.encodeAndBroadcast(me.Addr, alive{Incarnation: inc, Node: me.Name, Addr: me.Addr})
}

// aliveNode is invoked by the network layer when we get a message about a
// live node.
func (m *Memberlist) aliveNode(a *alive) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[a.Node]
	if !ok {
		state = &nodeState{Name: a.Node, Addr: a.Addr, State: StateDead}
		m.nodeMap[a.Node] = state
		m.nodes = append(m.nodes, state)
		atomic.AddUint32(&m.numNodes, 1)
	}

	// Bail if the incarnation number is older, and this is not about us
	if a.Incarnation <= state.Incarnation && ok {
		return
	}

	// Clear out any suspicion timer that may be in effect.
	delete(m.nodeTimers, a.Node)

	m.encodeAndBroadcast(a.Node, a)
	state.Incarnation = a.Incarnation
	state.Addr = a.Addr
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

	// See if there's a suspicion timer we can confirm. If the info is new
	// to us we will go ahead and re-gossip it.
	if timer, ok := m.nodeTimers[s.Node]; ok {
		if timer.Confirm(s.From) {
			m.encodeAndBroadcast(s.Node, s)
		}
		return
	}

	// Ignore non-alive nodes
	if state.State != StateAlive {
		return
	}

	// If this is us we need to refute, otherwise re-broadcast
	if state.Name == m.config.Name {
		m.refute(state, s.Incarnation)
		m.logger.Printf("[WARN] memberlist: Refuting a suspect message (from: %s)", s.From)
		return // Do not mark ourself suspect
	}
	m.encodeAndBroadcast(s.Node, s)

	// Update the state
	state.Incarnation = s.Incarnation
	state.State = StateSuspect
	changeTime := time.Now()
	state.StateChange = changeTime

	// Setup a suspicion timer.
	k := m.config.SuspicionMult - 2

	// If there aren't enough nodes to give the expected confirmations, just
	// set k to 0 to say that we don't expect any.
	if m.estNumNodes()-2 < k {
		k = 0
	}

	// Compute the timeouts based on the size of the cluster.
	min := time.Duration(m.config.SuspicionMult) * m.config.ProbeInterval
	max := time.Duration(m.config.SuspicionMaxTimeoutMult) * min
	fn := func(numConfirmations int) {
		var d *dead

		m.nodeLock.Lock()
		state, ok := m.nodeMap[s.Node]
		timeout := ok && state.State == StateSuspect && state.StateChange.Equal(changeTime)
		if timeout {
			d = &dead{Incarnation: state.Incarnation, Node: state.Name, From: m.config.Name}
		}
		m.nodeLock.Unlock()

		if timeout {
			m.logger.Printf("[INFO] memberlist: Marking %s as failed, suspect timeout reached (%d peer confirmations)",
				d.Node, numConfirmations)

			m.deadNode(d)
		}
	}
	m.nodeTimers[s.Node] = newSuspicion(s.From, k, min, max, fn)
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
	delete(m.nodeTimers, d.Node)

	// Ignore if node is already dead
	if state.DeadOrLeft() {
		return
	}

	// Check if this is us
	if state.Name == m.config.Name {
		// If we are not leaving we need to refute
		if !m.hasLeft() {
			m.refute(state, d.Incarnation)
			return // Do not mark ourself dead
		}
	}
	m.encodeAndBroadcast(d.Node, d)

	// Update the state
	state.Incarnation = d.Incarnation
	if d.Node == d.From {
		state.State = StateLeft
	} else {
		state.State = StateDead
	}
	state.StateChange = time.Now()

	// Notify of death
	if m.config.NotifyLeave != nil {
		m.config.NotifyLeave(state.Name)
	}
}
