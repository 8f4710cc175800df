package memberlist

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

type nodeState struct {
	Name        string
	Incarnation uint32
	State       int
	StateChange time.Time
}

const (
	stateAlive = iota
	stateSuspect
	stateDead
)

// Memberlist keeps track of the nodes of a cluster.
type Memberlist struct {
	nodeLock   sync.RWMutex
	nodeMap    map[string]*nodeState
	nodeTimers map[string]*suspicion
}

// suspicion manages the suspect timer for a node and provides an interface
// to accelerate the timeout as we get more independent confirmations that
// a node is suspect.
type suspicion struct {
	// n is the number of independent confirmations we've seen. This must
	// be updated using atomic instructions to prevent contention with the
	// timer callback.
	n atomic.Int32

	// k is the number of independent confirmations we'd like to see in
	// order to drive the timer to its minimum value.
	k int32

	min   time.Duration
	max   time.Duration
	start time.Time

	// timer is the underlying timer that implements the timeout.
	timer *time.Timer

	// f is the function to call when the timer expires. We hold on to this
	// because there are cases where we call it directly.
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

	// Exclude the from node from any confirmations.
	s.confirmations[from] = struct{}{}

	// Pass the number of confirmations into the timeout function for
	// easy telemetry.
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

func remainingSuspicionTime(n, k int32, elapsed time.Duration, min, max time.Duration) time.Duration {
	frac := math.Log(float64(n)+1.0) / math.Log(float64(k)+1.0)
	raw := max.Seconds() - frac*(max.Seconds()-min.Seconds())
	timeout := time.Duration(math.Floor(1000.0*raw)) * time.Millisecond
	if timeout < min {
		timeout = min
	}
	return timeout - elapsed
}

// Confirm registers that a possibly new peer has also determined the given
// node is suspect. This returns true if this was new information, and false
// if it was a duplicate confirmation, or if we've got enough confirmations to
// hit the minimum.
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

	// Compute the new timeout given the current number of confirmations and
	// adjust the timer. If the timeout becomes negative *and* we can cleanly
	// stop the timer then we will call the timeout function directly from
	// here.
	n := s.n.Add(1)
	elapsed := time.Since(s.start)
	remaining := remainingSuspicionTime(n, s.k, elapsed, s.min, s.max)
	if s.timer.Stop() {
		if remaining > 0 {
			s.timer.Reset(remaining)
		} else {
			go s.timeoutFn()
		}
	}
	return true
}

// suspectNode is invoked by the network layer when we get a message
// about a suspect node
func (m *Memberlist) suspectNode(name, from string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[name]

	// If we've never heard about this node before, ignore it
	if !ok || incarnation < state.Incarnation {
		return
	}

	// See if there's a suspicion timer we can confirm.
	if timer, ok := m.nodeTimers[name]; ok {
		timer.Confirm(from)
		return
	}

	// Ignore non-alive nodes
	if state.State != stateAlive {
		return
	}
	state.Incarnation = incarnation
	state.State = stateSuspect
	changeTime := time.Now()
	state.StateChange = changeTime

	m.nodeTimers[name] = newSuspicion(from, 2, time.Second, 6*time.Second, func(numConfirmations int) {
		var inc uint32
		m.nodeLock.Lock()
		state, ok := m.nodeMap[name]
		timeout := ok && state.State == stateSuspect && state.StateChange.Equal(changeTime)
		if timeout {
			inc = state.Incarnation
		}
		m.nodeLock.Unlock()

		if timeout {
			m.deadNode(name, inc)
		}
	})
}

// aliveNode is invoked when we get a message about a live node
func (m *Memberlist) aliveNode(name string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[name]
	if !ok {
		state = &nodeState{Name: name, State: stateDead}
		m.nodeMap[name] = state
	} else if incarnation <= state.Incarnation {
		return
	}
	// Clear out any suspicion timer that may be in effect.
	delete(m.nodeTimers, name)
	state.Incarnation = incarnation
	if state.State != stateAlive {
		state.State = stateAlive
		state.StateChange = time.Now()
	}
}

// deadNode is invoked when we get a message about a dead node
func (m *Memberlist) deadNode(name string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[name]

	// Ignore old incarnation numbers
	if !ok || incarnation < state.Incarnation {
		return
	}

	// Clear out any suspicion timer that may be in effect.
	delete(m.nodeTimers, name)

	// Ignore if node is already dead
	if state.State == stateDead {
		return
	}
	state.Incarnation = incarnation
	state.State = stateDead
	state.StateChange = time.Now()
}
