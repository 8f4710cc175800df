package nomad

import (
	"encoding/json"
	"errors"
	"net"
	"time"
)

// ErrNoNodeConn is returned when there is no path to a node.
var ErrNoNodeConn = errors.New("No path to node")

// nodeConnState is used to track connection information about a Nomad Client.
type nodeConnState struct {
	// Session holds the connection for dialing back.
	Session net.Conn

	// Established is when the connection was established.
	Established time.Time

	// Ctx is the full RPC context
	Ctx *RPCContext
}

// getNodeConn returns the connection to the given node and whether it exists.
func (s *Server) getNodeConn(nodeID string) (*nodeConnState, bool) {
	s.nodeConnsLock.RLock()
	defer s.nodeConnsLock.RUnlock()
	state, ok := s.nodeConns[nodeID]
	return state, ok
}

// connectedNodes returns the set of nodes we have a connection with.
func (s *Server) connectedNodes() map[string]time.Time {
	s.nodeConnsLock.RLock()
	defer s.nodeConnsLock.RUnlock()
	nodes := make(map[string]time.Time, len(s.nodeConns))
	for nodeID, state := range s.nodeConns {
		nodes[nodeID] = state.Established
	}
	return nodes
}

// addNodeConn adds the mapping between a node and its session.
func (s *Server) addNodeConn(ctx *RPCContext) {
	// Hotpath the no-op
	if ctx == nil || ctx.NodeID == "" {
		return
	}

	s.nodeConnsLock.Lock()
	defer s.nodeConnsLock.Unlock()
	s.nodeConns[ctx.NodeID] = &nodeConnState{
		Session:     ctx.Conn,
		Established: time.Now(),
		Ctx:         ctx,
	}
}

// removeNodeConn removes the mapping between a node and its session.
func (s *Server) removeNodeConn(ctx *RPCContext) {
	// Hotpath the no-op
	if ctx == nil || ctx.NodeID == "" {
		return
	}

	s.nodeConnsLock.Lock()
	defer s.nodeConnsLock.Unlock()
	state, ok := s.nodeConns[ctx.NodeID]
	if !ok {
		return
	}

	// It is important that we check that the connection being removed is the
	// actual stored connection for the client. It is possible for the client to
	// dial various addresses that all route to the same server. The most common
	// case for this is the original address the client uses to connect to the
	// server differs from the advertised address sent by the heartbeat.
	if state.Ctx.Conn.LocalAddr().String() == ctx.Conn.LocalAddr().String() &&
		state.Ctx.Conn.RemoteAddr().String() == ctx.Conn.RemoteAddr().String() {
		delete(s.nodeConns, ctx.NodeID)
	}
}

// NodeRpc is used to make an RPC call to a node.
func (s *Server) NodeRpc(nodeID, method string) error {
	state, ok := s.getNodeConn(nodeID)
	if !ok {
		return ErrNoNodeConn
	}
	return json.NewEncoder(state.Session).Encode(rpcRequest{Method: method, NodeID: nodeID})
}
