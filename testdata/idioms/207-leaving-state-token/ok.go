// Package ok leaves a cluster gracefully.
package ok

import (
	"errors"
	"sync"
	"time"
)

// SerfState is the state of the instance.
type SerfState int

// The states.
const (
	SerfAlive SerfState = iota
	SerfLeaving
	SerfLeft
	SerfShutdown
)

// Memberlist is the membership layer; it serialises itself.
type Memberlist interface {
	Leave(timeout time.Duration) error
	Shutdown() error
	NumMembers() int
}

// Serf is a single node.
type Serf struct {
	memberlist       Memberlist
	broadcast        func(msg string, notify chan<- struct{}) error
	broadcastTimeout time.Duration

	stateLock  sync.Mutex
	state      SerfState
	shutdownCh chan struct{}
}

// Create returns an alive node.
func Create(m Memberlist, broadcast func(string, chan<- struct{}) error) *Serf {
	return &Serf{
		memberlist:       m,
		broadcast:        broadcast,
		broadcastTimeout: 5 * time.Second,
		shutdownCh:       make(chan struct{}),
	}
}

// State is the current state of this Serf instance.
func (s *Serf) State() SerfState {
	s.stateLock.Lock()
	defer s.stateLock.Unlock()
	return s.state
}

// Leave gracefully exits the cluster. It is safe to call this multiple
// times. If the broadcast fails, the node stays in the state Leaving and has
// to be shut down.
func (s *Serf) Leave() error {
	// Check the current state
	s.stateLock.Lock()
	switch s.state {
	case SerfLeft:
		s.stateLock.Unlock()
		return nil
	case SerfLeaving:
		s.stateLock.Unlock()
		return errors.New("leave already in progress")
	case SerfShutdown:
		s.stateLock.Unlock()
		return errors.New("leave called after Shutdown")
	}
	s.state = SerfLeaving
	s.stateLock.Unlock()

	// Only broadcast the leave message if there is at least one
	// other node alive.
	if s.memberlist.NumMembers() > 1 {
		notifyCh := make(chan struct{})
		if err := s.broadcast("leave", notifyCh); err != nil {
			return err
		}
		select {
		case <-notifyCh:
		case <-time.After(s.broadcastTimeout):
			return errors.New("timeout while waiting for graceful leave")
		}
	}

	// Attempt the memberlist leave
	if err := s.memberlist.Leave(s.broadcastTimeout); err != nil {
		return err
	}

	// Transition to Left only if we not already shutdown
	s.stateLock.Lock()
	if s.state != SerfShutdown {
		s.state = SerfLeft
	}
	s.stateLock.Unlock()
	return nil
}

// Shutdown forcefully shuts down the Serf instance, stopping all network
// activity and background maintenance associated with the instance.
func (s *Serf) Shutdown() error {
	s.stateLock.Lock()
	defer s.stateLock.Unlock()

	if s.state == SerfShutdown {
		return nil
	}
	s.state = SerfShutdown
	if err := s.memberlist.Shutdown(); err != nil {
		return err
	}
	close(s.shutdownCh)
	return nil
}
