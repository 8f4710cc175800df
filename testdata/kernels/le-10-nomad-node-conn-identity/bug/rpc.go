package nomad

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"sync"
	"time"
)

const (
	NodeStatusInit  = "initializing"
	NodeStatusReady = "ready"
)

// Node is a representation of a schedulable client node
type Node struct {
	ID        string
	Status    string
	HeartedAt time.Time
}

// RPCContext provides metadata about the RPC connection.
type RPCContext struct {
	// Conn exposes the raw connection.
	Conn net.Conn

	// NodeID marks the NodeID that initiated the connection.
	NodeID string
}

type rpcRequest struct {
	Method string
	NodeID string
	Status string
}

type rpcResponse struct {
	HeartbeatTTL time.Duration
	Error        string
}

// Server is Nomad server which manages the job queues,
// schedulers, and notification bus for agents.
type Server struct {
	rpcListener net.Listener

	// nodeConns is the set of multiplexed node connections we have keyed by
	// NodeID
	nodeConns     map[string]*nodeConnState
	nodeConnsLock sync.RWMutex

	nodes     map[string]*Node
	nodesLock sync.Mutex

	shutdownCh chan struct{}
}

// NewServer is used to construct a new Nomad server from the configuration
func NewServer(l net.Listener) *Server {
	return &Server{
		rpcListener: l,
		nodeConns:   make(map[string]*nodeConnState),
		nodes:       make(map[string]*Node),
		shutdownCh:  make(chan struct{}),
	}
}

// listen is used to listen for incoming RPC connections
func (s *Server) listen(ctx context.Context) {
	for {
		conn, err := s.rpcListener.Accept()
		if err != nil {
			select {
			case <-s.shutdownCh:
				return
			case <-ctx.Done():
				return
			default:
			}
			log.Printf("[ERR] nomad.rpc: failed to accept RPC conn: %v", err)
			continue
		}
		go s.handleConn(ctx, conn, &RPCContext{Conn: conn})
	}
}

// handleConn is used to serve a single client connection. The requests of one
// connection are handled one after another.
func (s *Server) handleConn(ctx context.Context, conn net.Conn, rpcCtx *RPCContext) {
	defer func() {
		// Remove any potential mapping between a NodeID to this connection and
		// close the underlying connection.
		s.removeNodeConn(rpcCtx)
		conn.Close()
	}()

	dec := json.NewDecoder(bufio.NewReader(conn))
	enc := json.NewEncoder(conn)
	for {
		select {
		case <-ctx.Done():
			log.Println("[INFO] nomad.rpc: Closing server RPC connection")
			return
		case <-s.shutdownCh:
			return
		default:
		}

		var req rpcRequest
		if err := dec.Decode(&req); err != nil {
			if err != io.EOF {
				log.Printf("[ERR] nomad.rpc: RPC error: %v", err)
			}
			return
		}
		resp := s.serveRequest(rpcCtx, &req)
		if err := enc.Encode(resp); err != nil {
			return
		}
	}
}

func (s *Server) serveRequest(rpcCtx *RPCContext, req *rpcRequest) *rpcResponse {
	var resp rpcResponse
	var err error
	switch req.Method {
	case "Node.Register":
		resp.HeartbeatTTL, err = s.nodeRegister(rpcCtx, req.NodeID)
	case "Node.UpdateStatus":
		resp.HeartbeatTTL, err = s.nodeUpdateStatus(rpcCtx, req.NodeID, req.Status)
	default:
		err = errors.New("unknown method")
	}
	if err != nil {
		resp.Error = err.Error()
	}
	return &resp
}

// nodeRegister is used to upsert a client that is available for scheduling
func (s *Server) nodeRegister(rpcCtx *RPCContext, nodeID string) (time.Duration, error) {
	if nodeID == "" {
		return 0, errors.New("missing node ID for client registration")
	}
	// We have a valid node connection since there is no error from the
	// forwarded server, so add the mapping to cache the
	// connection and allow the server to send RPCs to the client.
	rpcCtx.NodeID = nodeID
	s.addNodeConn(rpcCtx)

	s.nodesLock.Lock()
	defer s.nodesLock.Unlock()
	s.nodes[nodeID] = &Node{ID: nodeID, Status: NodeStatusInit, HeartedAt: time.Now()}
	return 10 * time.Second, nil
}

// nodeUpdateStatus is used to update the status of a client node
func (s *Server) nodeUpdateStatus(rpcCtx *RPCContext, nodeID, status string) (time.Duration, error) {
	s.nodesLock.Lock()
	defer s.nodesLock.Unlock()
	node, ok := s.nodes[nodeID]
	if !ok {
		return 0, errors.New("node not found")
	}
	rpcCtx.NodeID = nodeID
	s.addNodeConn(rpcCtx)

	node.Status = status
	node.HeartedAt = time.Now()
	return 10 * time.Second, nil
}
