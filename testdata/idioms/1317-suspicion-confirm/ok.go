package memberlist

import (
	"sync"
	"sync/atomic"
	"time"
)

type NodeStateType int

const (
	StateAlive NodeStateType = iota
	StateSuspect
	StateDead
)

// suspicion manages the suspect timer for a node.
type suspicion struct {
	// n is the number of independent confirmations we've seen. This must
	// be updated using atomic instructions to prevent contention with the
	// timer callback.
	n atomic.Int32

	// k is the number of independent confirmations we'd like to see in
	// order to drive the timer to its minimum value.
	k int32

	min, max  time.Duration
	start     time.Time
	timer     *time.Timer
	timeoutFn func()

	// confirmations is a map of "from" nodes that have confirmed a given
	// node is suspect. This prevents double counting.
	confirmations map[string]struct{}
}

func newSuspicion(from string, k int, min time.Duration, max time.Duration, fn func(int)) *suspicion {
	s := &suspicion{
		k:             int32(k),
		min:           min,
		max:           max,
		confirmations: make(map[string]struct{}),
	}
	s.confirmations[from] = struct{}{}
	s.timeoutFn = func() {
		fn(int(s.n.Load()))
	}
	timeout := max
	if k < 1 {
		timeout = min
	}
	s.timer = time.AfterFunc(timeout, s.timeoutFn)
	s.start = time.Now()
	return s
}

// Confirm registers that a possibly new peer has also determined the given
// node is suspect. Must be called with the nodeLock held.
func (s *suspicion) Confirm(from string) bool {
	// If we've got enough confirmations then stop accepting them.
	if s.n.Load() >= s.k {
		return false
	}

	// Only allow one confirmation from each possible peer.
	if _, ok := s.confirmations[from]; ok {
		return false
	}
	s.confirmations[from] = struct{}{}

	n := s.n.Add(1)
	remaining := s.max - time.Duration(n)*(s.max-s.min)/time.Duration(s.k) - time.Since(s.start)
	if s.timer.Stop() {
		if remaining > 0 {
			s.timer.Reset(remaining)
		} else {
			go s.timeoutFn()
		}
	}
	return true
}

type nodeState struct {
	Name        string
	Incarnation uint32
	State       NodeStateType
	StateChange time.Time
}

// Memberlist keeps the known nodes.
type Memberlist struct {
	nodeLock   sync.RWMutex
	nodeMap    map[string]*nodeState
	nodeTimers map[string]*suspicion
}

func New() *Memberlist {
	return &Memberlist{nodeMap: make(map[string]*nodeState), nodeTimers: make(map[string]*suspicion)}
}

// AliveNode is invoked by the network layer.
func (m *Memberlist) AliveNode(name string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[name]
	if !ok {
		state = &nodeState{Name: name, State: StateDead}
		m.nodeMap[name] = state
	} else if incarnation <= state.Incarnation {
		return
	}
	delete(m.nodeTimers, name)
	state.Incarnation = incarnation
	if state.State != StateAlive {
		state.State = StateAlive
		state.StateChange = time.Now()
	}
}

// SuspectNode is invoked by the network layer and by the probes.
func (m *Memberlist) SuspectNode(name, from string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[name]
	if !ok || incarnation < state.Incarnation {
		return
	}
	// See if there's a suspicion timer we can confirm.
	if timer, ok := m.nodeTimers[name]; ok {
		timer.Confirm(from)
		return
	}
	if state.State != StateAlive {
		return
	}
	state.Incarnation = incarnation
	state.State = StateSuspect
	changeTime := time.Now()
	state.StateChange = changeTime

	fn := func(numConfirmations int) {
		m.nodeLock.Lock()
		var timedOut bool
		state, ok := m.nodeMap[name]
		var inc uint32
		if ok {
			timedOut = state.State == StateSuspect && state.StateChange.Equal(changeTime)
			inc = state.Incarnation
		}
		m.nodeLock.Unlock()
		if timedOut {
			m.DeadNode(name, inc)
		}
	}
	m.nodeTimers[name] = newSuspicion(from, 2, time.Second, 6*time.Second, fn)
}

// DeadNode marks the node dead, unless it is known to be alive with a newer
// incarnation.
func (m *Memberlist) DeadNode(name string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[name]
	if !ok || incarnation < state.Incarnation || state.State == StateDead {
		return
	}
	delete(m.nodeTimers, name)
	state.Incarnation = incarnation
	state.State = StateDead
	state.StateChange = time.Now()
}
