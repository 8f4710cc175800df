// Package memberlist spreads membership by gossip.
package memberlist

import (
	"fmt"
	"log"
	"net/netip"
	"sync"
)

// Transport moves packets between members.
type Transport interface {
	WriteTo(b []byte, addr netip.AddrPort) error
	Ping(addr netip.AddrPort, via netip.AddrPort) bool
}

type alive struct {
	Incarnation uint32
	Node        string
	Addr        netip.Addr
	Port        uint16
	Meta        []byte
	PMax        uint8
}

// Memberlist is the local view of the cluster.
type Memberlist struct {
	name       string
	gossipTo   int
	transport  Transport
	broadcasts *queue
	logger     *log.Logger

	nodeLock sync.RWMutex
	nodes    []*nodeState
	nodeMap  map[string]*nodeState
}

// New returns a view that knows only ourselves.
func New(name string, gossipTo int, t Transport, logger *log.Logger) *Memberlist {
	return &Memberlist{
		name:       name,
		gossipTo:   gossipTo,
		transport:  t,
		broadcasts: &queue{},
		logger:     logger,
		nodeMap:    make(map[string]*nodeState),
	}
}

// aliveNode handles the news that a node is alive at an address.
func (m *Memberlist) aliveNode(a *alive) {
	m.nodeLock.Lock()
	defer m.nodeLock.Unlock()
	state, ok := m.nodeMap[a.Node]
	if !ok {
		state = &nodeState{Node: Node{Name: a.Node}, State: stateDead}
		m.nodeMap[a.Node] = state
		m.nodes = append(m.nodes, state)
	} else if a.Incarnation <= state.Incarnation {
		return
	}
	state.Addr, state.Port = a.Addr, a.Port
	state.Meta = append(state.Meta[:0], a.Meta...)
	state.PMax = a.PMax
	state.Incarnation = a.Incarnation
	state.State = stateAlive
}

// gossip sends the pending broadcasts to a few random members.
func (m *Memberlist) gossip() {
	m.nodeLock.RLock()
	kNodes := kRandomNodes(m.gossipTo, m.nodes, func(n *nodeState) bool {
		return n.Name == m.name || n.State == stateDead
	})
	m.nodeLock.RUnlock()

	for _, node := range kNodes {
		msgs := m.broadcasts.get(packetSize - len(node.Meta))
		if len(msgs) == 0 {
			return
		}
		buf := compound(node.PMax, msgs)
		if err := m.transport.WriteTo(buf, node.Address()); err != nil {
			m.logger.Printf("[ERR] memberlist: Failed to send gossip to %s: %v", node.Address(), err)
		}
	}
}

// indirectProbe asks a few members to ping a node for us.
func (m *Memberlist) indirectProbe(target Node) error {
	m.nodeLock.RLock()
	kNodes := kRandomNodes(3, m.nodes, func(n *nodeState) bool {
		return n.Name == m.name || n.Name == target.Name || n.State != stateAlive
	})
	m.nodeLock.RUnlock()

	for _, peer := range kNodes {
		if m.transport.Ping(target.Address(), peer.Address()) {
			return nil
		}
	}
	return fmt.Errorf("no ack from %s via %d members", target.Name, len(kNodes))
}
