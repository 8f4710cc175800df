package memberlist

import (
	"fmt"
	"sync"
	"time"
)

type stateType int

const (
	stateAlive stateType = iota
	stateSuspect
	stateDead
)

type nodeState struct {
	Name        string
	Addr        string
	Incarnation uint32
	State       stateType
	StateChange time.Time
}

type suspect struct {
	Incarnation uint32
	Node        string
	From        string
}

// Memberlist manages a cluster membership using a gossip protocol.
type Memberlist struct {
	name     string
	interval time.Duration
	ping     func(addr string) bool

	nodeLock   sync.RWMutex
	nodes      []*nodeState
	nodeMap    map[string]*nodeState
	nodeTimers map[string]*time.Timer

	probeIndex int // only used by the probing goroutine
	stopTick   chan struct{}
}

func Create(name string, interval time.Duration, ping func(string) bool) *Memberlist {
	m := &Memberlist{
		name:       name,
		interval:   interval,
		ping:       ping,
		nodeMap:    make(map[string]*nodeState),
		nodeTimers: make(map[string]*time.Timer),
		stopTick:   make(chan struct{}),
	}
	go m.triggerFunc()
	return m
}

func (m *Memberlist) triggerFunc() {
	t := time.NewTicker(m.interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			m.probe()
		case <-m.stopTick:
			return
		}
	}
}

// probe is used to perform a single round of failure detection.
func (m *Memberlist) probe() {
	for range 3 {
		m.nodeLock.RLock()
		if m.probeIndex >= len(m.nodes) {
			m.nodeLock.RUnlock()
			m.probeIndex = 0
			continue
		}
		node := *m.nodes[m.probeIndex]
		m.nodeLock.RUnlock()
		m.probeIndex++
		if node.Name == m.name || node.State == stateDead {
			continue
		}
		m.probeNode(&node)
		return
	}
}

// probeNode handles a single round of failure checking on a node.
func (m *Memberlist) probeNode(node *nodeState) {
	if m.ping(node.Addr) {
		return
	}
	m.suspectNode(&suspect{Incarnation: node.Incarnation, Node: node.Name, From: m.name})
}

// suspectNode is invoked by the network layer and by the prober when we get a
// message about a suspect node.
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
	if state.State != stateAlive {
		return
	}
	state.Incarnation = s.Incarnation
	state.State = stateSuspect
	changeTime := time.Now()
	state.StateChange = changeTime

	m.nodeTimers[s.Node] = time.AfterFunc(4*m.interval, func() {
		m.nodeLock.Lock()
		defer m.nodeLock.Unlock()
		state, ok := m.nodeMap[s.Node]
		if ok && state.State == stateSuspect && state.StateChange.Equal(changeTime) {
			state.State = stateDead
			delete(m.nodeTimers, s.Node)
		}
	})
}

// aliveNode is invoked when we get a message about a live node.
func (m *Memberlist) aliveNode(name, addr string, incarnation uint32) error {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[name]
	if !ok {
		state = &nodeState{Name: name, Addr: addr, Incarnation: incarnation}
		m.nodeMap[name] = state
		m.nodes = append(m.nodes, state)
		return nil
	}
	if incarnation <= state.Incarnation {
		return fmt.Errorf("old incarnation %d of %s", incarnation, name)
	}
	if t := m.nodeTimers[name]; t != nil {
		t.Stop()
		delete(m.nodeTimers, name)
	}
	state.Incarnation, state.Addr, state.State, state.StateChange = incarnation, addr, stateAlive, time.Now()
	return nil
}
