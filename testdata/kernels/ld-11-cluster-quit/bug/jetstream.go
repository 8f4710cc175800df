package server

import (
	"log"
	"sync"
	"sync/atomic"
	"time"
)

type Server struct {
	js     atomic.Pointer[jetStream]
	quitCh chan struct{}
	grWG   sync.WaitGroup
}

func (s *Server) getJetStream() *jetStream { return s.js.Load() }

func (s *Server) startGoRoutine(f func()) {
	s.grWG.Add(1)
	go f()
}

// jetStream is for jetstream for this server.
type jetStream struct {
	mu             sync.RWMutex
	srv            *Server
	cluster        *jetStreamCluster
	accounts       map[string]struct{}
	metaRecovering bool
	shuttingDown   bool
}

// jetStreamCluster is for tracking the jetstream cluster of this server.
type jetStreamCluster struct {
	// The metacontroller raftNode.
	meta RaftNode
	// For stream and consumer assignments. All servers will have this be the same.
	consumers map[string]*consumerAssignment
	// To pop out the monitorCluster before the raft layer.
	qch chan struct{}
}

// EnableJetStream will enable JetStream support on this server with the given meta node.
func (s *Server) EnableJetStream(meta RaftNode) *jetStream {
	js := &jetStream{srv: s, accounts: make(map[string]struct{})}
	s.js.Store(js)
	js.setupMetaGroup(meta)
	return js
}

func (s *Server) shutdownJetStream() {
	js := s.getJetStream()
	if js == nil {
		return
	}

	log.Printf("Initiating JetStream Shutdown...")
	defer log.Printf("JetStream Shutdown")

	js.mu.Lock()
	// Signal we are shutting down.
	js.shuttingDown = true
	js.mu.Unlock()

	s.js.Store(nil)

	js.mu.Lock()
	js.accounts = nil

	var qch chan struct{}

	if cc := js.cluster; cc != nil {
		if cc.qch != nil {
			qch = cc.qch
			cc.qch = nil
		}
		cc.meta = nil
	}
	js.mu.Unlock()

	// If we were clustered signal the monitor cluster go routine.
	// We will wait for a bit for it to close.
	// Do this without the lock.
	if qch != nil {
		select {
		case qch <- struct{}{}:
			select {
			case <-qch:
			case <-time.After(2 * time.Second):
				log.Printf("Did not receive signal for successful shutdown of cluster routine")
			}
		default:
		}
	}
}

// Shutdown will shutdown the server instance.
func (s *Server) Shutdown() {
	s.shutdownJetStream()
	close(s.quitCh)
	s.grWG.Wait()
}
