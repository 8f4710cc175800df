package memberlist

import (
	"math/rand/v2"
	"time"
)

// ackHandler is used to register handlers for incoming acks
type ackHandler struct {
	handler func()
	timer   *time.Timer
}

// probe is used to perform a single round of failure detection
func (m *Memberlist) probe() {
	m.nodeLock.RLock()
	var node nodeState
	found := false
	for range m.nodes {
		node = *m.nodes[m.probeIndex%len(m.nodes)]
		m.probeIndex++
		if node.Name != m.config.Name && node.State != stateDead {
			found = true
			break
		}
	}
	m.nodeLock.RUnlock()
	if found {
		m.probeNode(&node)
	}
}

// probeNode handles a single round of failure checking on a node
func (m *Memberlist) probeNode(node *nodeState) {
	seqNo := m.sequenceNum.Add(1)

	// Setup an ack handler
	ackCh := make(chan bool, m.config.IndirectChecks+1)
	m.setAckChannel(seqNo, ackCh, m.config.ProbeInterval)

	// Send the ping message
	if err := m.transport.Ping(node.Addr, seqNo); err != nil {
		m.config.Logger.Printf("[ERR] Failed to send ping: %s", err)
		return
	}

	// Wait for response or round-trip-time
	select {
	case v := <-ackCh:
		if v == true {
			return
		}
	case <-time.After(m.config.ProbeTimeout):
	}

	// Attempt an indirect ping
	for _, peer := range m.randomNodes(m.config.IndirectChecks, node.Name) {
		if err := m.transport.IndirectPing(peer.Addr, node.Addr, seqNo); err != nil {
			m.config.Logger.Printf("[ERR] Failed to send indirect ping: %s", err)
		}
	}

	// Wait for the acks or timeout
	select {
	case v := <-ackCh:
		if v == true {
			return
		}
	}

	// No acks received from target, suspect
	m.Suspect(node.Name, node.Incarnation)
}

// randomNodes returns copies of up to k live members, without us and another.
func (m *Memberlist) randomNodes(k int, exclude string) []nodeState {
	m.nodeLock.RLock()
	defer m.nodeLock.RUnlock()
	kNodes := make([]nodeState, 0, k)
	for _, i := range rand.Perm(len(m.nodes)) {
		n := m.nodes[i]
		if len(kNodes) < k && n.State == stateAlive && n.Name != exclude && n.Name != m.config.Name {
			kNodes = append(kNodes, *n)
		}
	}
	return kNodes
}

// setAckChannel is used to attach a channel to receive a message when
// an ack with a given sequence number is received. The channel gets sent
// false on timeout
func (m *Memberlist) setAckChannel(seqNo uint32, ch chan bool, timeout time.Duration) {
	// Create a handler function
	handler := func() {
		select {
		case ch <- true:
		default:
		}
	}

	// Add the handler, with a reaping routine
	m.ackLock.Lock()
	defer m.ackLock.Unlock()
	m.ackHandlers[seqNo] = &ackHandler{handler, time.AfterFunc(timeout, func() {
		m.ackLock.Lock()
		delete(m.ackHandlers, seqNo)
		m.ackLock.Unlock()
		select {
		case ch <- false:
		default:
		}
	})}
}

// HandleAck is called for each ack that comes from the network.
func (m *Memberlist) HandleAck(seqNo uint32) {
	m.ackLock.Lock()
	ah, ok := m.ackHandlers[seqNo]
	delete(m.ackHandlers, seqNo)
	m.ackLock.Unlock()
	if !ok {
		return
	}
	ah.timer.Stop()
	ah.handler()
}
