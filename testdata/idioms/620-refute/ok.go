// Package ok refutes rumours about this member of a cluster.
package ok

import (
	"sync"
	"sync/atomic"
	"time"
)

// awareness is our own health.
type awareness struct {
	sync.RWMutex
	max, score int
}

// ApplyDelta takes the given delta and applies it to the score in a thread-safe
// manner. It also enforces a floor of zero and a max of max, so deltas may not
// change the overall score if it's railed at one of the extremes.
func (a *awareness) ApplyDelta(delta int) {
	a.Lock()
	defer a.Unlock()
	a.score = max(0, min(a.score+delta, a.max-1))
}

// ScaleTimeout takes the given duration and scales it based on the current
// score. Less healthyness will lead to longer timeouts.
func (a *awareness) ScaleTimeout(timeout time.Duration) time.Duration {
	a.RLock()
	score := a.score
	a.RUnlock()
	return timeout * (time.Duration(score) + 1)
}

type nodeState struct {
	Name        string
	Incarnation uint32
	Suspect     bool
	Dead        bool
}

// Message is sent to all members.
type Message struct {
	Kind        string // alive, suspect or dead
	Node        string
	Incarnation uint32
}

// Memberlist is one member.
type Memberlist struct {
	name        string
	sequenceNum atomic.Uint32 // Local sequence number
	incarnation atomic.Uint32 // Local incarnation number
	leave       atomic.Bool
	leaveLock   sync.Mutex // Serializes calls to Leave
	awareness   awareness
	broadcast   func(Message) // does not block

	nodeLock sync.RWMutex
	nodeMap  map[string]*nodeState
}

// New returns a member that is alive.
func New(name string, broadcast func(Message)) *Memberlist {
	m := &Memberlist{name: name, broadcast: broadcast, nodeMap: make(map[string]*nodeState)}
	m.awareness.max = 8
	me := &nodeState{Name: name, Incarnation: m.nextIncarnation()}
	m.nodeMap[name] = me
	broadcast(Message{"alive", name, me.Incarnation})
	return m
}

// nextSeqNo returns a usable sequence number in a thread safe way
func (m *Memberlist) nextSeqNo() uint32 {
	return m.sequenceNum.Add(1)
}

// nextIncarnation returns the next incarnation number in a thread safe way
func (m *Memberlist) nextIncarnation() uint32 {
	return m.incarnation.Add(1)
}

// skipIncarnation adds the positive offset to the incarnation number.
func (m *Memberlist) skipIncarnation(offset uint32) uint32 {
	return m.incarnation.Add(offset)
}

// refute gossips an alive message in response to incoming information that we
// are suspect or dead. It will make sure the incarnation number beats the given
// accusedInc value, or you can supply 0 to just get the next incarnation number.
// This alters the node state that's passed in so this MUST be called while the
// nodeLock is held.
func (m *Memberlist) refute(me *nodeState, accusedInc uint32) {
	// Make sure the incarnation number beats the accusation.
	inc := m.nextIncarnation()
	if accusedInc >= inc {
		inc = m.skipIncarnation(accusedInc - inc + 1)
	}
	me.Incarnation = inc

	// Decrease our health because we are being asked to refute a problem.
	m.awareness.ApplyDelta(1)

	// Format and broadcast an alive message.
	m.broadcast(Message{"alive", me.Name, inc})
}

// Handle is invoked by the network layer, from many goroutines.
func (m *Memberlist) Handle(msg Message) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[msg.Node]
	if !ok {
		if msg.Kind == "alive" {
			m.nodeMap[msg.Node] = &nodeState{Name: msg.Node, Incarnation: msg.Incarnation}
			m.broadcast(msg)
		}
		return
	}
	if msg.Incarnation < state.Incarnation {
		return
	}
	if state.Name == m.name {
		// If we are not leaving we need to refute
		if msg.Kind != "alive" && !m.hasLeft() {
			m.refute(state, msg.Incarnation)
		}
		return
	}
	switch msg.Kind {
	case "alive":
		if msg.Incarnation == state.Incarnation {
			return
		}
		state.Suspect, state.Dead = false, false
	case "suspect":
		if state.Suspect || state.Dead {
			return
		}
		state.Suspect = true
	case "dead":
		if state.Dead {
			return
		}
		state.Dead = true
	}
	state.Incarnation = msg.Incarnation
	m.broadcast(msg)
}

// Probe pings a node and suspects it if there is no answer.
func (m *Memberlist) Probe(node string, ping func(seqNo uint32, timeout time.Duration) bool) {
	if ping(m.nextSeqNo(), m.awareness.ScaleTimeout(time.Second)) {
		m.awareness.ApplyDelta(-1)
		return
	}
	m.nodeLock.RLock()
	state, ok := m.nodeMap[node]
	var inc uint32
	if ok {
		inc = state.Incarnation
	}
	m.nodeLock.RUnlock()
	if ok {
		m.Handle(Message{"suspect", node, inc})
	}
}

// Leave will broadcast a leave message. It is safe to call multiple times.
func (m *Memberlist) Leave() {
	m.leaveLock.Lock()
	defer m.leaveLock.Unlock()
	if m.hasLeft() {
		return
	}
	m.leave.Store(true)

	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	me := m.nodeMap[m.name]
	me.Dead = true
	m.broadcast(Message{"dead", m.name, me.Incarnation})
}

func (m *Memberlist) hasLeft() bool { return m.leave.Load() }
