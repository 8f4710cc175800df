package memberlist

import (
	"math/rand/v2"
	"net/netip"
)

// Node is a member as others see it.
type Node struct {
	Name string
	Addr netip.Addr
	Port uint16
	Meta []byte
	PMax uint8
}

// Address returns the host and port of the node.
func (n *Node) Address() netip.AddrPort {
	return netip.AddrPortFrom(n.Addr, n.Port)
}

type nodeStateType uint8

const (
	stateAlive nodeStateType = iota
	stateSuspect
	stateDead
)

// nodeState is what we know about a member; guarded by nodeLock.
type nodeState struct {
	Node
	Incarnation uint32
	State       nodeStateType
}

// kRandomNodes selects up to k nodes that the filter does not exclude.
// nodeLock should be held.
func kRandomNodes(k int, nodes []*nodeState, exclude func(*nodeState) bool) []*nodeState {
	n := len(nodes)
	kNodes := make([]*nodeState, 0, k)
	// Probe up to 3*n times, with large n this is not necessary
	// since k << n, but with small n we want search to be exhaustive
OUTER:
	for i := 0; i < 3*n && len(kNodes) < k; i++ {
		node := nodes[rand.IntN(n)]
		if exclude(node) {
			continue OUTER
		}
		for _, other := range kNodes {
			if other == node {
				continue OUTER
			}
		}
		kNodes = append(kNodes, node)
	}
	// Copy the contents of the nodes, callers use them without the lock.
	storage := make([]nodeState, len(kNodes))
	for i, node := range kNodes {
		storage[i] = *node
		storage[i].Meta = append([]byte(nil), node.Meta...)
		kNodes[i] = &storage[i]
	}
	return kNodes
}
