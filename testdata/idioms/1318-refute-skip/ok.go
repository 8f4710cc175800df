package memberlist

import (
	"sync"
	"sync/atomic"
)

type alive struct {
	Incarnation uint32
	Node        string
	Meta        []byte
}

type nodeState struct {
	Name        string
	Incarnation uint32
	Meta        []byte
}

// Memberlist has the state of this node.
type Memberlist struct {
	incarnation atomic.Uint32 // Local incarnation number

	nodeLock sync.Mutex
	self     *nodeState

	broadcast func(a alive)
}

func New(name string, broadcast func(a alive)) *Memberlist {
	return &Memberlist{self: &nodeState{Name: name}, broadcast: broadcast}
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
// accusedInc value. This MUST be called while the nodeLock is held.
func (m *Memberlist) refute(me *nodeState, accusedInc uint32) {
	// Make sure the incarnation number beats the accusation.
	inc := m.nextIncarnation()
	if accusedInc >= inc {
		inc = m.skipIncarnation(accusedInc - inc + 1)
	}
	me.Incarnation = inc
	m.broadcast(alive{Incarnation: inc, Node: me.Name, Meta: me.Meta})
}

// SuspectNode is invoked by the network layer when we get a message about
// ourselves being suspect.
func (m *Memberlist) SuspectNode(accusedInc uint32) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	if accusedInc < m.self.Incarnation {
		return
	}
	m.refute(m.self, accusedInc)
}

// UpdateNode is used to trigger re-advertising the local node. The number is
// taken before the lock.
func (m *Memberlist) UpdateNode(meta []byte) {
	a := alive{Incarnation: m.nextIncarnation(), Node: m.self.Name, Meta: meta}
	m.aliveNode(&a)
}

// aliveNode ignores a message that is older than what is known.
func (m *Memberlist) aliveNode(a *alive) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	if a.Incarnation <= m.self.Incarnation {
		// A refutation was faster: announce the new data with a number that
		// beats it.
		m.self.Meta = a.Meta
		m.refute(m.self, m.self.Incarnation)
		return
	}
	m.self.Incarnation = a.Incarnation
	m.self.Meta = a.Meta
	m.broadcast(*a)
}
