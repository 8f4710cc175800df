package a

import (
	"sync"
	"sync/atomic"
)

type nodeState struct {
	Name        string
	Incarnation uint32
	Meta        []byte
}

type alive struct {
	Incarnation uint32
	Node        string
	Meta        []byte
}

type awareness struct {
	sync.RWMutex
	score int
}

// ApplyDelta takes the given delta and applies it to the score.
func (a *awareness) ApplyDelta(delta int) {
	a.Lock()
	defer a.Unlock()
	a.score += delta
	if a.score < 0 {
		a.score = 0
	}
}

// Memberlist is the local member list.
type Memberlist struct {
	incarnation uint32 // Local incarnation number
	name        string
	awareness   awareness

	nodeLock sync.RWMutex
	nodeMap  map[string]*nodeState

	broadcasts chan alive
}

// nextIncarnation returns the next incarnation number in a thread safe way
func (m *Memberlist) nextIncarnation() uint32 {
	return atomic.AddUint32(&m.incarnation, 1)
}

// skipIncarnation adds the positive offset to the incarnation number.
func (m *Memberlist) skipIncarnation(offset uint32) uint32 {
	return atomic.AddUint32(&m.incarnation, offset)
}

// refute gossips an alive message in response to incoming information that we
// are suspect or dead. It will make sure the incarnation number beats the given
// accusedInc value. This MUST be called while the nodeLock is held.
func (m *Memberlist) refute(me *nodeState, accusedInc uint32) {
	// Make sure the incarnation number beats the accusation.
	inc := m.nextIncarnation()
	if accusedInc >= inc {
		inc = m.skipIncarnation(accusedInc - inc + 1)
	}
	me.Incarnation = inc

	// Decrease our health because we are being asked to refute a problem.
	m.awareness.ApplyDelta(1)
	m.broadcasts <- alive{Incarnation: inc, Node: me.Name, Meta: me.Meta}
}

// suspectNode is invoked by the network layer when we get a message
// about a suspect node
func (m *Memberlist) suspectNode(node string, incarnation uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[node]
	if !ok || incarnation < state.Incarnation {
		return
	}
	if state.Name == m.name {
		m.refute(state, incarnation)
		return
	}
	state.Incarnation = incarnation
}

// UpdateNode is used to trigger re-advertising the local node.
func (m *Memberlist) UpdateNode(meta []byte) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	me, ok := m.nodeMap[m.name]
	if !ok {
		return
	}
	me.Incarnation, me.Meta = m.nextIncarnation(), meta
	m.broadcasts <- alive{Incarnation: me.Incarnation, Node: me.Name, Meta: me.Meta}
}

// aliveNode is invoked by the network layer when we get a message about a
// live node.
func (m *Memberlist) aliveNode(a alive) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state := m.nodeMap[a.Node]
	if state == nil {
		state = &nodeState{Name: a.Node}
		m.nodeMap[a.Node] = state
	}
	if a.Incarnation <= state.Incarnation {
		return
	}
	state.Incarnation, state.Meta = a.Incarnation, a.Meta
	m.broadcasts <- a
}
