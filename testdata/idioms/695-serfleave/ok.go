// Package serf joins and leaves a cluster.
package serf

import (
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// SerfState is the state of the Serf instance.
type SerfState int

const (
	SerfAlive SerfState = iota
	SerfLeaving
	SerfLeft
	SerfShutdown
)

func (s SerfState) String() string {
	return [...]string{"alive", "leaving", "left", "shutdown"}[s]
}

// Memberlist is the gossip layer. Its methods may be called in any state.
type Memberlist interface {
	Join(existing []string) (int, error)
	Leave(timeout time.Duration) error
	Shutdown() error
	Broadcast(msg any, notify chan<- struct{}) error
	NumMembers() int
}

type messageLeave struct {
	LTime uint64
	Node  string
}

type messageJoin struct {
	LTime uint64
	Node  string
}

// Config of a node.
type Config struct {
	NodeName            string
	BroadcastTimeout    time.Duration
	LeavePropagateDelay time.Duration
	RejoinAfterFailure  time.Duration
}

// Serf is a single node that is part of a single cluster.
type Serf struct {
	clock      atomic.Uint64
	config     *Config
	memberlist Memberlist
	logger     *log.Logger

	joinLock sync.Mutex

	stateLock  sync.Mutex
	state      SerfState
	shutdownCh chan struct{}

	failedLock sync.RWMutex
	failed     []string
}

func Create(conf *Config, ml Memberlist, logger *log.Logger) *Serf {
	s := &Serf{config: conf, memberlist: ml, logger: logger, shutdownCh: make(chan struct{})}
	go s.handleReconnect()
	return s
}

// State is the current state of this Serf instance.
func (s *Serf) State() SerfState {
	s.stateLock.Lock()
	defer s.stateLock.Unlock()
	return s.state
}

// ShutdownCh returns a channel that can be used to wait for Serf to shutdown.
func (s *Serf) ShutdownCh() <-chan struct{} { return s.shutdownCh }

// Join joins an existing Serf cluster.
func (s *Serf) Join(existing []string) (int, error) {
	s.joinLock.Lock()
	defer s.joinLock.Unlock()
	if st := s.State(); st != SerfAlive {
		return 0, fmt.Errorf("Serf can't Join while %s", st)
	}
	num, err := s.memberlist.Join(existing)
	if num == 0 {
		return 0, err
	}
	// Start broadcasting the update
	if err := s.memberlist.Broadcast(messageJoin{s.clock.Add(1), s.config.NodeName}, nil); err != nil {
		return num, err
	}
	return num, err
}

// startLeave moves the state to leaving; it waits for a running Join.
func (s *Serf) startLeave() (done bool, err error) {
	s.joinLock.Lock()
	defer s.joinLock.Unlock()
	s.stateLock.Lock()
	defer s.stateLock.Unlock()
	switch s.state {
	case SerfLeft:
		return true, nil
	case SerfLeaving:
		return false, errors.New("Leave already in progress")
	case SerfShutdown:
		return false, errors.New("Leave called after Shutdown")
	}
	s.state = SerfLeaving
	return false, nil
}

// Leave gracefully exits the cluster. It is safe to call this multiple
// times. If the Leave broadcast timeout, Leave() will try to finish the sequence as best effort.
func (s *Serf) Leave() error {
	if done, err := s.startLeave(); done || err != nil {
		return err
	}

	// Construct the message for the graceful leave
	msg := messageLeave{LTime: s.clock.Add(1), Node: s.config.NodeName}

	// Only broadcast the leave message if there is at least one
	// other node alive.
	if s.memberlist.NumMembers() > 1 {
		notifyCh := make(chan struct{}, 1)
		if err := s.memberlist.Broadcast(msg, notifyCh); err != nil {
			s.logger.Printf("[WARN] serf: leave message was not sent: %s", err)
		} else {
			select {
			case <-notifyCh:
			case <-time.After(s.config.BroadcastTimeout):
				s.logger.Printf("[WARN] serf: timeout while waiting for graceful leave")
			}
		}
	}

	// Attempt the memberlist leave
	if err := s.memberlist.Leave(s.config.BroadcastTimeout); err != nil {
		s.logger.Printf("[WARN] serf: timeout waiting for leave broadcast: %s", err)
	}

	// Wait for the leave to propagate through the cluster.
	time.Sleep(s.config.LeavePropagateDelay)

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
	if s.state != SerfLeft {
		s.logger.Printf("[WARN] serf: Shutdown without a Leave")
	}
	s.state = SerfShutdown
	err := s.memberlist.Shutdown()
	close(s.shutdownCh)
	return err
}

// memberFailed is called by the gossip layer.
func (s *Serf) memberFailed(addr string) {
	s.failedLock.Lock()
	s.failed = append(s.failed, addr)
	s.failedLock.Unlock()
}

// memberBack is called when a member is alive again.
func (s *Serf) memberBack(addr string) {
	s.failedLock.Lock()
	defer s.failedLock.Unlock()
	for i, a := range s.failed {
		if a == addr {
			s.failed = append(s.failed[:i], s.failed[i+1:]...)
			return
		}
	}
}

// handleReconnect attempts to reconnect to failed members from time to time.
func (s *Serf) handleReconnect() {
	for i := 0; ; i++ {
		select {
		case <-time.After(s.config.RejoinAfterFailure):
		case <-s.shutdownCh:
			return
		}
		s.failedLock.RLock()
		n := len(s.failed)
		if n == 0 {
			s.failedLock.RUnlock()
			continue
		}
		addr := s.failed[i%n]
		s.failedLock.RUnlock()
		s.logger.Printf("[INFO] serf: attempting reconnect to %s", addr)

		// Attempt to join at the memberlist level
		if _, err := s.memberlist.Join([]string{addr}); err != nil {
			s.logger.Printf("[DEBUG] serf: reconnect to %s: %s", addr, err)
		}
	}
}
