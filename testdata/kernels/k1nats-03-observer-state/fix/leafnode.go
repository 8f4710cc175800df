// Package server connects an account to remote clusters with leafnodes.
package server

import (
	"log"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"
)

// leafNodeCfg is a remote of an account.
type leafNodeCfg struct {
	sync.RWMutex
	URLs                    []string
	LocalAccount            string
	JetStreamClusterMigrate bool
	curURL                  int
}

func (cfg *leafNodeCfg) pickNextURL() string {
	cfg.Lock()
	defer cfg.Unlock()
	u := cfg.URLs[cfg.curURL%len(cfg.URLs)]
	cfg.curURL++
	return u
}

// Server has the accounts and their leafnodes.
type Server struct {
	reconnectDelay time.Duration
	quitCh         chan struct{}
	createLeafNode func(conn net.Conn, closed func())

	mu       sync.RWMutex
	accounts map[string]*Account
	remotes  []*leafNodeCfg
}

// New returns a server. createLeafNode serves a connection and calls closed at its end.
func New(reconnectDelay time.Duration, createLeafNode func(net.Conn, func())) *Server {
	return &Server{
		reconnectDelay: reconnectDelay,
		quitCh:         make(chan struct{}),
		createLeafNode: createLeafNode,
		accounts:       make(map[string]*Account),
	}
}

// AddAccount adds an account.
func (s *Server) AddAccount(acc *Account) {
	s.mu.Lock()
	s.accounts[acc.Name] = acc
	s.mu.Unlock()
}

// LookupAccount returns an account, or nil.
func (s *Server) LookupAccount(name string) *Account {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.accounts[name]
}

// SolicitLeafNodeRemotes connects to the remotes; accounts may have several.
func (s *Server) SolicitLeafNodeRemotes(remotes []*leafNodeCfg) {
	s.mu.Lock()
	s.remotes = append(s.remotes, remotes...)
	s.mu.Unlock()
	for _, remote := range remotes {
		go s.connectToRemoteLeafNode(remote)
	}
}

// Shutdown ends the attempts to connect. It is called once.
func (s *Server) Shutdown() { close(s.quitCh) }

func (s *Server) remoteLeafNodeStillValid(remote *leafNodeCfg) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Contains(s.remotes, remote)
}

func (s *Server) connectToRemoteLeafNode(remote *leafNodeCfg) {
	for s.remoteLeafNodeStillValid(remote) {
		url := remote.pickNextURL()
		conn, err := net.DialTimeout("tcp", url, 2*time.Second)
		if err != nil {
			log.Printf("Error trying to connect as leafnode to remote server %q: %v", url, err)
			select {
			case <-s.quitCh:
				return
			case <-time.After(s.reconnectDelay + rand.N(s.reconnectDelay)):
				// Check if we should migrate any JetStream assets while this remote is down.
				s.checkJetStreamMigrate(remote)
				continue
			}
		}

		// We have a connection here to a remote server.
		// Go ahead and create our leaf node and return.
		s.createLeafNode(conn, func() { go s.connectToRemoteLeafNode(remote) })

		// Clear any observer states if we had them.
		s.clearObserverState(remote)
		return
	}
}

// This will clear any observer state such that stream or consumer assets on this server can become leaders again.
func (s *Server) clearObserverState(remote *leafNodeCfg) {
	remote.RLock()
	accName := remote.LocalAccount
	remote.RUnlock()

	acc := s.LookupAccount(accName)
	if acc == nil {
		log.Printf("Error looking up account [%s] checking for JetStream clear observer state on a leafnode", accName)
		return
	}

	acc.jscmMu.Lock()
	defer acc.jscmMu.Unlock()

	// Walk all streams looking for any clustered stream, skip otherwise.
	for _, mset := range acc.streams() {
		node := mset.raftNode()
		if node == nil {
			// Not R>1
			continue
		}
		// Check consumers
		for _, o := range mset.getConsumers() {
			if n := o.raftNode(); n != nil {
				// Ensure we can become a leader again.
				n.SetObserver(false)
			}
		}
		// Ensure we can become a leader again.
		node.SetObserver(false)
	}
}

// Check to see if we should migrate any assets from this account.
func (s *Server) checkJetStreamMigrate(remote *leafNodeCfg) {
	remote.RLock()
	accName, shouldMigrate := remote.LocalAccount, remote.JetStreamClusterMigrate
	remote.RUnlock()

	if !shouldMigrate {
		return
	}

	acc := s.LookupAccount(accName)
	if acc == nil {
		log.Printf("Error looking up account [%s] checking for JetStream migration on a leafnode", accName)
		return
	}

	acc.jscmMu.Lock()
	defer acc.jscmMu.Unlock()

	// Walk all streams looking for any clustered stream, skip otherwise.
	// If we are the leader force stepdown.
	for _, mset := range acc.streams() {
		node := mset.raftNode()
		if node == nil {
			// Not R>1
			continue
		}
		// Collect any consumers
		for _, o := range mset.getConsumers() {
			if n := o.raftNode(); n != nil {
				if n.Leader() {
					n.StepDown()
				}
				// Ensure we can not become a leader while in this state.
				n.SetObserver(true)
			}
		}
		// Stepdown if this stream was leader.
		if node.Leader() {
			node.StepDown()
		}
		// Ensure we can not become a leader while in this state.
		node.SetObserver(true)
	}
}
