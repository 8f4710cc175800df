// Package server runs the meta layer of JetStream and its streams.
package server

import (
	"errors"
	"log"
	"sync"
	"time"
)

var errNotEnabled = errors.New("jetstream not enabled")

// Snapshotter writes the state of the meta layer.
type Snapshotter interface {
	InstallSnapshot(streams []string) error
}

// jetStreamCluster is the meta layer.
type jetStreamCluster struct {
	streams map[string]*stream
	snap    Snapshotter
	aq      chan string // names of streams that are assigned to us
	// To pop out the monitorCluster before the raft layer.
	qch chan struct{}
}

type jetStream struct {
	mu      sync.RWMutex
	cluster *jetStreamCluster
	apply   func(stream string, msg []byte)
	grWG    sync.WaitGroup
}

type stream struct {
	name string
	msgs chan []byte
	stop chan struct{}
}

// Server may have JetStream.
type Server struct {
	mu sync.Mutex
	js *jetStream
}

// EnableJetStream starts the meta layer.
func (s *Server) EnableJetStream(snap Snapshotter, apply func(string, []byte)) *jetStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.js != nil {
		return s.js
	}
	js := &jetStream{apply: apply}
	js.setupMetaGroup(snap)
	s.js = js
	return js
}

// DisableJetStream stops the meta layer and all streams.
func (s *Server) DisableJetStream() error {
	s.mu.Lock()
	js := s.js
	s.js = nil
	s.mu.Unlock()
	if js == nil {
		return errNotEnabled
	}
	js.shutdown()
	js.grWG.Wait()
	return nil
}

// shutdown stops the monitor of the cluster before all others.
func (js *jetStream) shutdown() {
	js.mu.Lock()
	var qch chan struct{}
	cc := js.cluster
	if cc.qch != nil {
		qch = cc.qch
		cc.qch = nil
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
				log.Print("Did not receive signal for successful shutdown of cluster routine")
			}
		default:
		}
	}

	// Now the streams.
	js.mu.Lock()
	streams := cc.streams
	cc.streams = make(map[string]*stream)
	js.mu.Unlock()
	for _, mset := range streams {
		close(mset.stop)
	}
}
