package memberlist

import (
	"math"
	"sync"
	"sync/atomic"
)

type nodeState struct {
	Name string
	Dead bool
}

type limitedBroadcast struct {
	transmits int
	msg       []byte
}

// TransmitLimitedQueue queues messages, each is sent a number of times that
// grows with the logarithm of the number of nodes.
type TransmitLimitedQueue struct {
	NumNodes       func() int
	RetransmitMult int

	mu sync.Mutex
	tq []*limitedBroadcast
}

func retransmitLimit(retransmitMult, n int) int {
	nodeScale := math.Ceil(math.Log10(float64(n + 1)))
	return retransmitMult * int(nodeScale)
}

// QueueBroadcast is used to enqueue a broadcast
func (q *TransmitLimitedQueue) QueueBroadcast(msg []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tq = append(q.tq, &limitedBroadcast{msg: msg})
}

// GetBroadcasts is used to get a number of broadcasts, up to a byte limit
func (q *TransmitLimitedQueue) GetBroadcasts(limit int) [][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()

	transmitLimit := retransmitLimit(q.RetransmitMult, q.NumNodes())
	var toSend [][]byte
	keep := q.tq[:0]
	for _, cur := range q.tq {
		if len(cur.msg) <= limit {
			limit -= len(cur.msg)
			toSend = append(toSend, cur.msg)
			if cur.transmits++; cur.transmits >= transmitLimit {
				continue
			}
		}
		keep = append(keep, cur)
	}
	q.tq = keep
	return toSend
}

// Memberlist is the view of this node.
type Memberlist struct {
	numNodes atomic.Uint32 // Number of known nodes (estimate)

	nodeLock   sync.RWMutex
	nodes      []*nodeState
	nodeMap    map[string]*nodeState
	probeIndex int

	broadcasts *TransmitLimitedQueue
}

// Create makes a list without members.
func Create(retransmitMult int) *Memberlist {
	m := &Memberlist{
		nodeMap:    make(map[string]*nodeState),
		broadcasts: &TransmitLimitedQueue{RetransmitMult: retransmitMult},
	}
	m.broadcasts.NumNodes = func() int {
		return m.estNumNodes()
	}
	return m
}

// estNumNodes is used to get the current estimate of the number of nodes
func (m *Memberlist) estNumNodes() int {
	return int(m.numNodes.Load())
}

// aliveNode is invoked by the network layer when we get a message about a live node.
func (m *Memberlist) aliveNode(name string, msg []byte) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[name]
	if !ok {
		state = &nodeState{Name: name, Dead: true}
		m.nodeMap[name] = state
		m.nodes = append(m.nodes, state)

		// Update numNodes after we've added a new node
		m.numNodes.Add(1)
	}
	if !state.Dead {
		return
	}
	state.Dead = false
	m.broadcasts.QueueBroadcast(msg)
}

// deadNode is invoked by the network layer when we get a message about a dead node
func (m *Memberlist) deadNode(name string, msg []byte) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	if state, ok := m.nodeMap[name]; ok && !state.Dead {
		state.Dead = true
		m.broadcasts.QueueBroadcast(msg)
	}
}

// resetNodes is used when the tick wraps around. It will reap the dead nodes.
func (m *Memberlist) resetNodes() {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()

	keep := m.nodes[:0]
	for _, n := range m.nodes {
		if n.Dead {
			delete(m.nodeMap, n.Name)
			continue
		}
		keep = append(keep, n)
	}
	m.nodes = keep
	m.probeIndex = 0

	// Update numNodes after we've trimmed the dead nodes
	m.numNodes.Store(uint32(len(m.nodes)))
}

// gossip is invoked every interval.
func (m *Memberlist) gossip(send func(to string, msgs [][]byte)) {
	m.nodeLock.RLock()
	var to string
	if len(m.nodes) > 0 {
		to = m.nodes[m.probeIndex%len(m.nodes)].Name
	}
	m.nodeLock.RUnlock()
	if to == "" {
		return
	}
	if msgs := m.broadcasts.GetBroadcasts(1400); len(msgs) > 0 {
		send(to, msgs)
	}
}
