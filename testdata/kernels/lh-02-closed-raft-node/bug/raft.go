package server

import (
	"log"
	"os"
	"sync"
	"sync/atomic"
)

type RaftState uint8

// Allowable states for a NATS Consensus Group.
const (
	Follower RaftState = iota
	Leader
	Candidate
	Closed
)

type RaftNode interface {
	ID() string
	State() RaftState
	Propose(entry []byte) error
	Campaign()
	ApplyC() <-chan []byte
	QuitC() <-chan struct{}
	Stop()
	WaitForStop()
	Delete()
}

type raftConfig struct {
	Name  string
	Store string
}

type raft struct {
	sync.RWMutex
	s     *Server
	id    string
	group string
	sd    string
	wal   *os.File
	state atomic.Int32
	wg    sync.WaitGroup // Wait for running goroutines to exit on shutdown
	prop  chan []byte
	apply chan []byte
	quit  chan struct{}
}

type Server struct {
	id       string
	quitCh   chan struct{}
	quitOnce sync.Once
	grWG     sync.WaitGroup

	rnMu      sync.RWMutex
	raftNodes map[string]RaftNode
}

func NewServer(id string) *Server {
	return &Server{id: id, quitCh: make(chan struct{}), raftNodes: make(map[string]RaftNode)}
}

func (s *Server) startGoRoutine(f func()) {
	s.grWG.Add(1)
	go f()
}

func (s *Server) isShuttingDown() bool {
	select {
	case <-s.quitCh:
		return true
	default:
		return false
	}
}

func (s *Server) Shutdown() { s.quitOnce.Do(func() { close(s.quitCh) }) }

func (s *Server) Debugf(format string, args ...any) { log.Printf(format, args...) }
func (s *Server) Warnf(format string, args ...any)  { log.Printf(format, args...) }

// startRaftNode will start the raft node.
func (s *Server) startRaftNode(cfg *raftConfig) (RaftNode, error) {
	if err := os.MkdirAll(cfg.Store, 0o700); err != nil {
		return nil, err
	}
	wal, err := os.OpenFile(cfg.Store+"/wal", os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	n := &raft{
		s:     s,
		id:    s.id,
		group: cfg.Name,
		sd:    cfg.Store,
		wal:   wal,
		prop:  make(chan []byte, 16),
		apply: make(chan []byte, 16),
		quit:  make(chan struct{}),
	}
	s.registerRaftNode(cfg.Name, n)
	n.wg.Add(1)
	s.startGoRoutine(n.run)
	return n, nil
}

func (s *Server) registerRaftNode(group string, n RaftNode) {
	s.rnMu.Lock()
	defer s.rnMu.Unlock()
	s.raftNodes[group] = n
}

// Unregisters the Raft node from the server, i.e. at shutdown.
func (s *Server) unregisterRaftNode(group string) {
	s.rnMu.Lock()
	defer s.rnMu.Unlock()
	delete(s.raftNodes, group)
}

// Finds the Raft node for a given Raft group, if any. If there is no Raft node
// running for this group then it can return nil.
func (s *Server) lookupRaftNode(group string) RaftNode {
	s.rnMu.RLock()
	defer s.rnMu.RUnlock()
	if n, ok := s.raftNodes[group]; ok {
		return n
	}
	return nil
}

func (n *raft) ID() string             { return n.id }
func (n *raft) State() RaftState       { return RaftState(n.state.Load()) }
func (n *raft) ApplyC() <-chan []byte  { return n.apply }
func (n *raft) QuitC() <-chan struct{} { return n.quit }
func (n *raft) Stop()                  { n.shutdown(false) }
func (n *raft) Delete()                { n.shutdown(true) }
func (n *raft) WaitForStop()           { n.wg.Wait() }

func (n *raft) Campaign() {
	n.state.CompareAndSwap(int32(Follower), int32(Candidate))
}

func (n *raft) Propose(entry []byte) error {
	select {
	case n.prop <- entry:
		return nil
	case <-n.quit:
		return errShuttingDown
	}
}

func (n *raft) shutdown(shouldDelete bool) {
	if n.state.Swap(int32(Closed)) == int32(Closed) {
		return
	}
	close(n.quit)

	n.Lock()
	sd, wal, g := n.sd, n.wal, n.group
	n.Unlock()

	wal.Close()
	if shouldDelete {
		os.RemoveAll(sd)
	}
	n.s.unregisterRaftNode(g)
	n.wg.Done()
}

func (n *raft) run() {
	defer n.s.grWG.Done()
	for {
		select {
		case <-n.quit:
			return
		case e := <-n.prop:
			n.Lock()
			_, err := n.wal.Write(e)
			n.Unlock()
			if err != nil {
				continue
			}
			select {
			case n.apply <- e:
			case <-n.quit:
				return
			}
		}
	}
}
