// Package server runs the streams that the meta layer assigns to a server.
package server

import (
	"errors"
	"fmt"
	"log"
	"sync"
)

// raftGroup are the peers of a stream.
type raftGroup struct {
	Name  string
	Peers []string
	node  *raftNode // protected by the lock of jetStream
}

// streamAssignment is what the meta layer has decided.
type streamAssignment struct {
	Config StreamConfig
	Group  *raftGroup
}

// jetStream are the assignments of this server.
type jetStream struct {
	acc  *Account
	quit chan struct{}

	mu      sync.RWMutex
	streams map[string]*streamAssignment
}

// NewJetStream applies the assignments that come from the meta layer.
func NewJetStream(acc *Account, aq <-chan *streamAssignment) *jetStream {
	js := &jetStream{
		acc:     acc,
		quit:    make(chan struct{}),
		streams: make(map[string]*streamAssignment),
	}
	go js.monitorCluster(aq)
	return js
}

// Shutdown stops the apply loop. It must be called once.
func (js *jetStream) Shutdown() { close(js.quit) }

func (js *jetStream) monitorCluster(aq <-chan *streamAssignment) {
	for {
		select {
		case sa := <-aq:
			js.mu.Lock()
			if js.streams[sa.Config.Name] != nil {
				js.mu.Unlock()
				continue // already assigned
			}
			js.streams[sa.Config.Name] = sa
			js.mu.Unlock()
			js.processClusterCreateStream(sa)
		case <-js.quit:
			return
		}
	}
}

// createRaftGroup is called to spin up this raft group if needed.
func (js *jetStream) createRaftGroup(rg *raftGroup) *raftNode {
	js.mu.Lock()
	defer js.mu.Unlock()
	if len(rg.Peers) <= 1 {
		return nil // Nothing to do here.
	}
	n := &raftNode{group: rg.Name}
	rg.node = n
	return n
}

// processClusterCreateStream makes sure that the stream and its raft group are
// running.
func (js *jetStream) processClusterCreateStream(sa *streamAssignment) {
	node := js.createRaftGroup(sa.Group)
	mset := js.acc.lookupOrAddStream(sa.Config)
	if node != nil {
		mset.setRaftNode(node)
		mset.inMonitor.Store(true)
		go js.monitorStream(mset)
	}
}

func (js *jetStream) monitorStream(mset *stream) {
	defer mset.inMonitor.Store(false)
	<-js.quit
}

// Healthz is called for each request to the monitoring port.
func (js *jetStream) Healthz() error {
	js.mu.RLock()
	assigned := make([]*streamAssignment, 0, len(js.streams))
	for _, sa := range js.streams {
		assigned = append(assigned, sa)
	}
	js.mu.RUnlock()

	var errs []error
	for _, sa := range assigned {
		if err := js.isStreamHealthy(sa); err != nil {
			errs = append(errs, fmt.Errorf("stream '%s > %s': %w", js.acc.Name, sa.Config.Name, err))
		}
	}
	return errors.Join(errs...)
}

// isStreamHealthy will determine if the stream is up to date or very close.
// For R1 it will make sure the stream is present on this server.
func (js *jetStream) isStreamHealthy(sa *streamAssignment) error {
	js.mu.RLock()
	node := sa.Group.node
	js.mu.RUnlock()

	// First lookup stream and make sure its there.
	mset, err := js.acc.lookupStream(sa.Config.Name)
	if err != nil {
		return err
	}

	switch {
	case sa.Config.Replicas <= 1:
		return nil // No further checks for R=1 streams

	case node == nil:
		return errors.New("group node missing")

	case node != mset.raftNode():
		log.Printf("Detected stream cluster node skew '%s > %s'", js.acc.Name, sa.Config.Name)
		node.Delete()
		return errors.New("cluster node skew detected")

	case !mset.isMonitorRunning():
		return errors.New("monitor goroutine not running")

	case !node.Healthy():
		return errors.New("group node unhealthy")

	default:
		return nil
	}
}
