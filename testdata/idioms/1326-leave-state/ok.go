package serf

import (
	"fmt"
	"log"
	"sync"
	"time"
)

type SerfState int

const (
	SerfAlive SerfState = iota
	SerfLeaving
	SerfLeft
	SerfShutdown
)

// Memberlist is the gossip layer.
type Memberlist interface {
	Leave(timeout time.Duration) error
	Shutdown() error
}

// Snapshotter records that the node leaves.
type Snapshotter interface {
	Leave()
	Wait()
}

// Serf is a single node that is part of a single cluster.
type Serf struct {
	memberlist  Memberlist
	snapshotter Snapshotter
	broadcast   func(notify chan<- struct{}) error

	stateLock  sync.Mutex
	state      SerfState
	shutdownCh chan struct{}

	broadcastTimeout    time.Duration
	leavePropagateDelay time.Duration
}

func New(m Memberlist, s Snapshotter, broadcast func(chan<- struct{}) error) *Serf {
	return &Serf{
		memberlist:       m,
		snapshotter:      s,
		broadcast:        broadcast,
		shutdownCh:       make(chan struct{}),
		broadcastTimeout: 5 * time.Second,
	}
}

// Leave gracefully exits the cluster. It is safe to call this multiple
// times.
func (s *Serf) Leave() error {
	// Check the current state
	s.stateLock.Lock()

	switch s.state {
	case SerfLeft:
		s.stateLock.Unlock()
		return nil
	case SerfLeaving:
		s.stateLock.Unlock()
		return fmt.Errorf("Leave already in progress")
	case SerfShutdown:
		s.stateLock.Unlock()
		return fmt.Errorf("Leave called after Shutdown")
	}

	s.state = SerfLeaving
	s.stateLock.Unlock()

	// If we have a snapshot, mark we are leaving
	if s.snapshotter != nil {
		s.snapshotter.Leave()
	}

	notifyCh := make(chan struct{})
	if err := s.broadcast(notifyCh); err != nil {
		log.Printf("[WARN] serf: failed to broadcast leave: %v", err)
	} else {
		select {
		case <-notifyCh:
		case <-time.After(s.broadcastTimeout):
			log.Printf("[WARN] serf: timeout while waiting for graceful leave")
		}
	}

	// Attempt the memberlist leave
	if err := s.memberlist.Leave(s.broadcastTimeout); err != nil {
		log.Printf("[WARN] serf: timeout waiting for leave broadcast: %s", err.Error())
	}

	// Wait for the leave to propagate through the cluster.
	time.Sleep(s.leavePropagateDelay)

	// Transition to Left only if we not already shutdown
	s.stateLock.Lock()
	if s.state != SerfShutdown {
		s.state = SerfLeft
	}
	s.stateLock.Unlock()
	return nil
}

// Shutdown forcefully shuts down the Serf instance, stopping all network
// activity. The memberlist may be asked to leave afterwards: it refuses.
func (s *Serf) Shutdown() error {
	s.stateLock.Lock()
	defer s.stateLock.Unlock()

	if s.state == SerfShutdown {
		return nil
	}
	if s.state != SerfLeft {
		log.Printf("[WARN] serf: Shutdown without a Leave")
	}

	s.state = SerfShutdown
	err := s.memberlist.Shutdown()
	if err != nil {
		return err
	}
	close(s.shutdownCh)

	// Wait for the snapshoter to finish if we have one
	if s.snapshotter != nil {
		s.snapshotter.Wait()
	}
	return nil
}

// State is the current state of this Serf instance.
func (s *Serf) State() SerfState {
	s.stateLock.Lock()
	defer s.stateLock.Unlock()
	return s.state
}
