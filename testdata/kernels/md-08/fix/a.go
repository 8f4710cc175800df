package a

import (
	"sync"
	"sync/atomic"
	"time"
)

type nodeStateType int

const (
	stateAlive nodeStateType = iota
	stateSuspect
	stateDead
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
}

type nodeState struct {
	Name        string
	Incarnation uint32
	State       nodeStateType
	StateChange time.Time
}

// suspicion manages the suspect timer for a node.
type suspicion struct {
	min           time.Duration
	start         time.Time
	timer         *time.Timer
	n             int32
	confirmations map[string]struct{}
}

func newSuspicion(from string, min, max time.Duration, f func(int32)) *suspicion {
	s := &suspicion{
		min:           min,
		start:         time.Now(),
		confirmations: map[string]struct{}{from: {}},
	}
	s.timer = time.AfterFunc(max, func() { f(atomic.LoadInt32(&s.n)) })
	return s
}

// Confirm registers another accuser. The node lock of the memberlist is held.
func (s *suspicion) Confirm(from string) {
	if _, ok := s.confirmations[from]; ok {
		return
	}
	s.confirmations[from] = struct{}{}
	atomic.AddInt32(&s.n, 1)
	if s.timer.Stop() {
		s.timer.Reset(max(0, s.min-time.Since(s.start)))
	}
}

type Memberlist struct {
	suspicionTimeout time.Duration

	nodeLock   sync.RWMutex
	nodeMap    map[string]*nodeState
	nodeTimers map[string]*suspicion
}

func NewMemberlist(timeout time.Duration) *Memberlist {
	return &Memberlist{
		suspicionTimeout: timeout,
		nodeMap:          make(map[string]*nodeState),
		nodeTimers:       make(map[string]*suspicion),
	}
}

func (m *Memberlist) HandleAlive(a alive)     { go m.aliveNode(&a) }
func (m *Memberlist) HandleSuspect(s suspect) { go m.suspectNode(&s) }
func (m *Memberlist) HandleDead(d dead)       { go m.deadNode(&d) }

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
	// Clear out any suspicion timer that may be in effect.
	delete(m.nodeTimers, a.Node)
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
	if !ok || s.Incarnation < state.Incarnation {
		return
	}

	if timer, ok := m.nodeTimers[s.Node]; ok {
		timer.Confirm(s.From)
		return
	}
	if state.State != stateAlive {
		return
	}

	state.Incarnation = s.Incarnation
	state.State = stateSuspect
	changeTime := time.Now()
	state.StateChange = changeTime

	f := func(numConfirmations int32) {
		m.nodeLock.Lock()
		state, ok := m.nodeMap[s.Node]
		timeout := ok && state.State == stateSuspect && state.StateChange.Equal(changeTime)
		d := dead{Node: s.Node}
		if timeout {
			d.Incarnation = state.Incarnation
			delete(m.nodeTimers, s.Node)
		}
		m.nodeLock.Unlock()

		if timeout {
			m.deadNode(&d)
		}
	}
	m.nodeTimers[s.Node] = newSuspicion(s.From, m.suspicionTimeout, 6*m.suspicionTimeout, f)
}

func (m *Memberlist) deadNode(d *dead) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[d.Node]
	if !ok || d.Incarnation < state.Incarnation || state.State == stateDead {
		return
	}
	delete(m.nodeTimers, d.Node)
	state.Incarnation = d.Incarnation
	state.State = stateDead
	state.StateChange = time.Now()
}
