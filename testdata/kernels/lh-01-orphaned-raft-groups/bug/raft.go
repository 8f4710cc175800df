package server

import (
	"log"
	"os"
	"path/filepath"
	"sync"
)

type RaftNode interface {
	ID() string
	Group() string
	Campaign()
	Stop()
	Delete()
}

type raftConfig struct {
	Name  string
	Store string
}

type raft struct {
	sync.RWMutex
	s      *Server
	id     string
	group  string
	sd     string
	closed bool
	elect  bool
	quit   chan struct{}
}

type Server struct {
	mu     sync.RWMutex
	id     string
	js     *jetStream
	quitCh chan struct{}
	grWG   sync.WaitGroup

	rnMu      sync.RWMutex
	raftNodes map[string]RaftNode
}

func NewServer(id, dir string) *Server {
	s := &Server{id: id, quitCh: make(chan struct{})}
	s.js = &jetStream{srv: s, storeDir: dir}
	return s
}

// enableJetStreamClustering starts the meta group and its monitor.
func (s *Server) enableJetStreamClustering() error {
	n, err := s.startRaftNode(&raftConfig{Name: "_meta_", Store: s.js.storeDir})
	if err != nil {
		return err
	}
	s.js.mu.Lock()
	s.js.cluster = &jetStreamCluster{
		meta:    n,
		aq:      make(chan *metaEntry, 32),
		streams: make(map[string]map[string]*streamAssignment),
	}
	s.js.mu.Unlock()
	s.startGoRoutine(s.js.monitorCluster)
	return nil
}

func (s *Server) getJetStreamCluster() (*jetStream, *jetStreamCluster) {
	s.mu.RLock()
	js := s.js
	s.mu.RUnlock()
	if js == nil {
		return nil, nil
	}
	js.mu.RLock()
	defer js.mu.RUnlock()
	return js, js.cluster
}

func (s *Server) healthz() error {
	if js, cc := s.getJetStreamCluster(); js == nil || cc == nil {
		return errNotActive
	}
	return nil
}

func (s *Server) startGoRoutine(f func()) {
	s.grWG.Add(1)
	go f()
}

func (s *Server) Debugf(format string, args ...any) { log.Printf(format, args...) }
func (s *Server) Warnf(format string, args ...any)  { log.Printf(format, args...) }

// startRaftNode will start the raft node.
func (s *Server) startRaftNode(cfg *raftConfig) (RaftNode, error) {
	n := &raft{s: s, id: s.id, group: cfg.Name, sd: filepath.Join(cfg.Store, cfg.Name), quit: make(chan struct{})}
	if err := os.MkdirAll(n.sd, 0o700); err != nil {
		return nil, err
	}
	// Registration allows us to process messages for the group.
	s.registerRaftNode(cfg.Name, n)
	s.startGoRoutine(n.run)
	return n, nil
}

func (s *Server) registerRaftNode(group string, n RaftNode) {
	s.rnMu.Lock()
	defer s.rnMu.Unlock()
	if s.raftNodes == nil {
		s.raftNodes = make(map[string]RaftNode)
	}
	s.raftNodes[group] = n
}

func (s *Server) unregisterRaftNode(group string) {
	s.rnMu.Lock()
	defer s.rnMu.Unlock()
	delete(s.raftNodes, group)
}

func (s *Server) lookupRaftNode(group string) RaftNode {
	s.rnMu.RLock()
	defer s.rnMu.RUnlock()
	return s.raftNodes[group]
}

func (s *Server) numRaftNodes() int {
	s.rnMu.RLock()
	defer s.rnMu.RUnlock()
	return len(s.raftNodes)
}

func (n *raft) ID() string    { return n.id }
func (n *raft) Group() string { return n.group }

func (n *raft) Campaign() {
	n.Lock()
	n.elect = true
	n.Unlock()
}

func (n *raft) Stop()   { n.shutdown(false) }
func (n *raft) Delete() { n.shutdown(true) }

func (n *raft) shutdown(shouldDelete bool) {
	n.Lock()
	if n.closed {
		n.Unlock()
		return
	}
	n.closed = true
	close(n.quit)
	sd := n.sd
	n.Unlock()

	n.s.unregisterRaftNode(n.group)
	if shouldDelete {
		os.RemoveAll(sd)
	}
}

func (n *raft) run() {
	defer n.s.grWG.Done()
	select {
	case <-n.quit:
	case <-n.s.quitCh:
		n.Stop()
	}
}
