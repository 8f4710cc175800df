package memberlist

import (
	"sync"
	"time"
)

type suspect struct {
	Node string
	From string
}

// Memberlist has the suspicions about its members.
type Memberlist struct {
	nodeLock   sync.Mutex
	nodeTimers map[string]*suspicion // Maps Node.Name -> suspicion timer
	failed     map[string]int

	broadcast func(*suspect)
}

// NewMemberlist returns an empty list.
func NewMemberlist(broadcast func(*suspect)) *Memberlist {
	return &Memberlist{
		nodeTimers: make(map[string]*suspicion),
		failed:     make(map[string]int),
		broadcast:  broadcast,
	}
}

// suspectNode is invoked by the network layer when we get a message
// about a suspect node. It may be called by several goroutines.
func (m *Memberlist) suspectNode(s *suspect) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()

	if _, ok := m.failed[s.Node]; ok {
		return
	}

	// See if there's a suspicion timer we can confirm. If the info is new
	// to us we will go ahead and re-gossip it.
	if timer, ok := m.nodeTimers[s.Node]; ok {
		if timer.Confirm(s.From) {
			m.broadcast(s)
		}
		return
	}
	m.broadcast(s)

	fn := func(numConfirmations int) {
		m.nodeLock.Lock()
		defer m.nodeLock.Unlock()
		if _, ok := m.nodeTimers[s.Node]; !ok {
			return
		}
		delete(m.nodeTimers, s.Node)
		m.failed[s.Node] = numConfirmations
	}
	m.nodeTimers[s.Node] = newSuspicion(s.From, 2, time.Second, 6*time.Second, fn)
}
