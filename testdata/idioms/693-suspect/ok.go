// Package memberlist finds out which members have failed.
package memberlist

import (
	"log"
	"sync"
	"sync/atomic"
	"time"
)

type NodeStateType int

const (
	StateAlive NodeStateType = iota
	StateSuspect
	StateDead
	StateLeft
)

type alive struct {
	Incarnation uint32
	Node        string
	Addr        string
}

type suspect struct {
	Incarnation uint32
	Node        string
	From        string // Include who is suspecting
}

type dead struct {
	Incarnation uint32
	Node        string
	From        string // Include who is suspecting
}

// nodeState is used to manage our state view of another node
type nodeState struct {
	Name        string
	Addr        string
	Incarnation uint32        // Last known incarnation number
	State       NodeStateType // Current state
	StateChange time.Time     // Time last state change happened
}

func (n *nodeState) DeadOrLeft() bool { return n.State == StateDead || n.State == StateLeft }

// Broadcaster queues a message for gossip.
type Broadcaster interface {
	Queue(node string, msg any)
}

type Config struct {
	Name          string
	SuspicionMult int
	ProbeInterval time.Duration
	Broadcasts    Broadcaster
	NotifyJoin    func(name string)
	NotifyLeave   func(name string)
	Ping          func(addr string) bool
}

type Memberlist struct {
	incarnation uint32
	config      *Config
	logger      *log.Logger
	shutdownCh  chan struct{}

	nodeLock   sync.RWMutex
	nodeMap    map[string]*nodeState
	nodeTimers map[string]*time.Timer
}

func New(conf *Config, logger *log.Logger) *Memberlist {
	m := &Memberlist{
		config:     conf,
		logger:     logger,
		shutdownCh: make(chan struct{}),
		nodeMap:    make(map[string]*nodeState),
		nodeTimers: make(map[string]*time.Timer),
	}
	m.aliveNode(&alive{Incarnation: m.nextIncarnation(), Node: conf.Name})
	go m.probeLoop()
	return m
}

func (m *Memberlist) nextIncarnation() uint32 { return atomic.AddUint32(&m.incarnation, 1) }

func (m *Memberlist) probeLoop() {
	t := time.NewTicker(m.config.ProbeInterval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			m.probe()
		case <-m.shutdownCh:
			return
		}
	}
}

// probe pings every member that is believed to be alive.
func (m *Memberlist) probe() {
	m.nodeLock.RLock()
	var nodes []nodeState
	for _, n := range m.nodeMap {
		if n.Name != m.config.Name && !n.DeadOrLeft() {
			nodes = append(nodes, *n)
		}
	}
	m.nodeLock.RUnlock()
	for _, node := range nodes {
		if m.config.Ping(node.Addr) {
			continue
		}
		m.suspectNode(&suspect{Incarnation: node.Incarnation, Node: node.Name, From: m.config.Name})
	}
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
	} else if a.Incarnation <= state.Incarnation {
		// Bail if the incarnation number is older
		return
	}
	// Clear out any suspicion timer that may be in effect.
	m.clearTimer(a.Node)
	oldState := state.State
	state.Incarnation = a.Incarnation
	state.Addr = a.Addr
	if state.State != StateAlive {
		state.State = StateAlive
		state.StateChange = time.Now()
	}
	m.config.Broadcasts.Queue(a.Node, *a)
	if oldState != StateAlive && m.config.NotifyJoin != nil {
		m.config.NotifyJoin(a.Node)
	}
}

// Lock should be held.
func (m *Memberlist) clearTimer(node string) {
	if t, ok := m.nodeTimers[node]; ok {
		t.Stop()
		delete(m.nodeTimers, node)
	}
}

// suspectNode is invoked by the network layer when we get a message
// about a suspect node
func (m *Memberlist) suspectNode(s *suspect) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[s.Node]
	if !ok || s.Incarnation < state.Incarnation || state.State != StateAlive {
		return
	}
	// If this is us we need to refute, otherwise re-broadcast
	if state.Name == m.config.Name {
		m.refute(state, s.Incarnation)
		return
	}
	m.config.Broadcasts.Queue(s.Node, *s)

	// Update the state
	state.Incarnation = s.Incarnation
	state.State = StateSuspect
	changeTime := time.Now()
	state.StateChange = changeTime

	timeout := time.Duration(m.config.SuspicionMult) * m.config.ProbeInterval
	m.nodeTimers[s.Node] = time.AfterFunc(timeout, func() {
		var d *dead
		m.nodeLock.Lock()
		state, ok := m.nodeMap[s.Node]
		timeout := ok && state.State == StateSuspect && state.StateChange.Equal(changeTime)
		if timeout {
			d = &dead{Incarnation: state.Incarnation, Node: state.Name, From: m.config.Name}
		}
		m.nodeLock.Unlock()

		if timeout {
			m.logger.Printf("[INFO] memberlist: Marking %s as failed, suspect timeout reached", d.Node)
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
	// Ignore old incarnation numbers
	if !ok || d.Incarnation < state.Incarnation {
		return
	}
	m.clearTimer(d.Node)
	if state.DeadOrLeft() {
		return
	}
	if state.Name == m.config.Name {
		m.refute(state, d.Incarnation)
		return
	}
	m.config.Broadcasts.Queue(d.Node, *d)
	state.Incarnation = d.Incarnation
	state.State = StateDead
	if d.Node == d.From {
		state.State = StateLeft
	}
	state.StateChange = time.Now()
	if m.config.NotifyLeave != nil {
		m.config.NotifyLeave(d.Node)
	}
}

// refute gossips an alive message in response to incoming information that we
// are suspect or dead. Lock should be held.
func (m *Memberlist) refute(me *nodeState, accusedInc uint32) {
	inc := m.nextIncarnation()
	for inc <= accusedInc {
		inc = m.nextIncarnation()
	}
	me.Incarnation = inc
	m.config.Broadcasts.Queue(me.Name, alive{Incarnation: inc, Node: me.Name, Addr: me.Addr})
}

func (m *Memberlist) Shutdown() { close(m.shutdownCh) }
