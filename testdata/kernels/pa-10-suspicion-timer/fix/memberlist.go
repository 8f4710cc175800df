package memberlist

import (
	"sync"
	"time"
)

// NodeState is what we believe about a member.
type NodeState int

// The states.
const (
	StateAlive NodeState = iota
	StateSuspect
	StateDead
)

// Node is a member of the cluster.
type Node struct {
	Name        string
	Addr        string
	State       NodeState
	Incarnation uint32
	Since       time.Time
}

// EventDelegate hears about members that come and go.
type EventDelegate interface {
	NotifyJoin(Node)
	NotifyLeave(Node)
}

// Memberlist is the local view of the cluster.
type Memberlist struct {
	suspicion time.Duration
	events    EventDelegate

	mu     sync.Mutex
	nodes  map[string]*Node
	timers map[string]*time.Timer
}

// New returns an empty view.
func New(suspicion time.Duration, ev EventDelegate) *Memberlist {
	return &Memberlist{
		suspicion: suspicion,
		events:    ev,
		nodes:     make(map[string]*Node),
		timers:    make(map[string]*time.Timer),
	}
}

func (m *Memberlist) setStateLocked(n *Node, s NodeState) {
	n.State = s
	n.Since = time.Now()
	if t := m.timers[n.Name]; t != nil && s != StateSuspect {
		t.Stop()
		delete(m.timers, n.Name)
	}
}

// Alive handles an alive message, the node's own or a gossiped one.
func (m *Memberlist) Alive(name, addr string, inc uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[name]
	if !ok {
		n = &Node{Name: name, Addr: addr, State: StateDead}
		m.nodes[name] = n
	} else if inc <= n.Incarnation {
		return
	}
	joined := n.State == StateDead
	n.Addr = addr
	n.Incarnation = inc
	m.setStateLocked(n, StateAlive)
	if joined {
		m.events.NotifyJoin(*n)
	}
}

// Suspect handles a failed probe or a gossiped suspicion.
func (m *Memberlist) Suspect(name string, inc uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[name]
	if !ok || inc < n.Incarnation || n.State != StateAlive {
		return
	}
	n.Incarnation = inc
	m.setStateLocked(n, StateSuspect)
	since := n.Since
	m.timers[name] = time.AfterFunc(m.suspicion, func() {
		m.suspicionTimeout(name, since)
	})
}

// suspicionTimeout gives up on a node that did not refute in time.
func (m *Memberlist) suspicionTimeout(name string, since time.Time) {
	m.mu.Lock()
	n, ok := m.nodes[name]
	expired := ok && n.State == StateSuspect && n.Since.Equal(since)
	if expired {
		m.buryLocked(n)
	}
	m.mu.Unlock()
}

func (m *Memberlist) bury(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.nodes[name]; ok {
		m.buryLocked(n)
	}
}

func (m *Memberlist) buryLocked(n *Node) {
	if n.State == StateDead {
		return
	}
	m.setStateLocked(n, StateDead)
	m.events.NotifyLeave(*n)
}

// ForceLeave removes a member on behalf of an operator.
func (m *Memberlist) ForceLeave(name string) { m.bury(name) }

// Members returns the nodes that are not dead.
func (m *Memberlist) Members() []Node {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Node, 0, len(m.nodes))
	for _, n := range m.nodes {
		if n.State != StateDead {
			out = append(out, *n)
		}
	}
	return out
}
