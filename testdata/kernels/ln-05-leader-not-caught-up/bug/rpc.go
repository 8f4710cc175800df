package nomad

import (
	"errors"
	"log"
	"sync"
	"time"
)

var ErrNoLeader = errors.New("No cluster leader")

const rpcHoldTimeout = 5 * time.Second

// Raft is the consensus library. It calls apply for all committed entries in
// order, on its own goroutine, also for those of former terms that a new leader
// has in its log.
type Raft interface {
	LeaderCh() <-chan bool
	State() string
	Leader() string
	Barrier(timeout time.Duration) error
	Apply(cmd []byte, timeout time.Duration) (uint64, error)
}

// Allocation is the placement of a job on a node.
type Allocation struct {
	ID          string
	NodeID      string
	ModifyIndex uint64
}

// StateStore is filled by the FSM.
type StateStore struct {
	l      sync.RWMutex
	index  uint64
	allocs map[string][]*Allocation // by node
}

// UpsertAlloc is called by the FSM.
func (s *StateStore) UpsertAlloc(index uint64, a *Allocation) {
	s.l.Lock()
	defer s.l.Unlock()
	s.index = index
	s.allocs[a.NodeID] = append(s.allocs[a.NodeID], a)
}

// AllocsByNode returns the allocations of the node and the index of the state.
func (s *StateStore) AllocsByNode(nodeID string) ([]*Allocation, uint64) {
	s.l.RLock()
	defer s.l.RUnlock()
	return append([]*Allocation(nil), s.allocs[nodeID]...), s.index
}

// Server is a Nomad server.
type Server struct {
	raft  Raft
	state *StateStore
	pool  func(addr, method string, args, reply any) error

	peersLock sync.RWMutex
	peers     map[string]string // raft address to rpc address

	broker *EvalBroker

	shutdownCh chan struct{}
}

// EvalBroker hands out evaluations on the leader.
type EvalBroker struct {
	l       sync.Mutex
	enabled bool
}

func (b *EvalBroker) SetEnabled(enabled bool) {
	b.l.Lock()
	b.enabled = enabled
	b.l.Unlock()
}

// NewServer starts the monitoring of the leadership.
func NewServer(raft Raft, pool func(addr, method string, args, reply any) error) *Server {
	s := &Server{
		raft:       raft,
		state:      &StateStore{allocs: make(map[string][]*Allocation)},
		pool:       pool,
		peers:      make(map[string]string),
		broker:     &EvalBroker{},
		shutdownCh: make(chan struct{}),
	}
	go s.monitorLeadership()
	return s
}

// Shutdown is called once.
func (s *Server) Shutdown() {
	close(s.shutdownCh)
}

// AddPeer is called by the serf event handler.
func (s *Server) AddPeer(raftAddr, rpcAddr string) {
	s.peersLock.Lock()
	s.peers[raftAddr] = rpcAddr
	s.peersLock.Unlock()
}

// monitorLeadership is used to monitor if we acquire or lose our role as the
// leader in the Raft cluster.
func (s *Server) monitorLeadership() {
	leaderCh := s.raft.LeaderCh()
	for {
		select {
		case isLeader := <-leaderCh:
			if !isLeader {
				s.revokeLeadership()
				log.Printf("nomad: cluster leadership lost")
				continue
			}
			// Wait until we are caught up
			if err := s.raft.Barrier(2 * time.Minute); err != nil {
				log.Printf("failed to wait for barrier: %v", err)
				continue
			}
			s.establishLeadership()
		case <-s.shutdownCh:
			return
		}
	}
}

// establishLeadership is invoked once we become leader and all log entries of
// the former terms are applied to the state.
func (s *Server) establishLeadership() {
	s.broker.SetEnabled(true)
}

// revokeLeadership is invoked once we step down as leader.
func (s *Server) revokeLeadership() {
	s.broker.SetEnabled(false)
}

// getLeader returns if the current node is the leader, and if not then it
// returns the leader which is potentially "" if the cluster has not yet
// elected a leader.
func (s *Server) getLeader() (bool, string) {
	// Check if we are the leader
	if s.raft.State() == "Leader" {
		return true, ""
	}
	// Get the leader
	leader := s.raft.Leader()
	if leader == "" {
		return false, ""
	}
	// Lookup the server
	s.peersLock.RLock()
	server := s.peers[leader]
	s.peersLock.RUnlock()
	return false, server
}

// forward is used to forward to the leader. Returns a bool of if forwarding was
// performed, as well as any error. It runs on the goroutine of the request.
func (s *Server) forward(method string, args, reply any) (bool, error) {
	var firstCheck time.Time

CHECK_LEADER:
	// Find the leader
	isLeader, remoteServer := s.getLeader()

	// Handle the case we are the leader
	if isLeader {
		return false, nil
	}

	// Handle the case of a known leader
	if remoteServer != "" {
		return true, s.pool(remoteServer, method, args, reply)
	}

	// Gate the request until there is a leader
	if firstCheck.IsZero() {
		firstCheck = time.Now()
	}
	if time.Since(firstCheck) < rpcHoldTimeout {
		select {
		case <-time.After(100 * time.Millisecond):
			goto CHECK_LEADER
		case <-s.shutdownCh:
		}
	}
	return true, ErrNoLeader
}

// NodeSpecificRequest asks for the allocations of a node.
type NodeSpecificRequest struct {
	NodeID string
}

// NodeAllocsResponse is the complete set: the client stops all other
// allocations that it runs.
type NodeAllocsResponse struct {
	Allocs []*Allocation
	Index  uint64
}

// GetAllocs is used to request allocations for a specific node
func (s *Server) GetAllocs(args *NodeSpecificRequest, reply *NodeAllocsResponse) error {
	if done, err := s.forward("Node.GetAllocs", args, reply); done {
		return err
	}
	reply.Allocs, reply.Index = s.state.AllocsByNode(args.NodeID)
	return nil
}
