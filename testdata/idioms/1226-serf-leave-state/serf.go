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

// MemberStatus is the state that a member is in.
type MemberStatus int

const (
	StatusAlive MemberStatus = iota
	StatusLeaving
	StatusLeft
)

// Member is a single member of the Serf cluster.
type Member struct {
	Name   string
	Status MemberStatus
}

type memberState struct {
	Member
	statusLTime uint64
}

type messageLeave struct {
	LTime uint64
	Node  string
}

// Config is the configuration for creating a Serf instance.
type Config struct {
	NodeName            string
	BroadcastTimeout    time.Duration
	LeavePropagateDelay time.Duration
}

// transport is what Serf needs of the underlying memberlist.
type transport interface {
	Join(existing []string) (int, error)
	Leave(timeout time.Duration) error
	Shutdown() error
	// Broadcast queues a message; notify is closed when it was sent.
	Broadcast(msg interface{}, notify chan<- struct{}) error
}

// Serf is a single node that is part of a single cluster that gets
// events about joins/leaves/failures/etc.
type Serf struct {
	clock uint64

	config     *Config
	memberlist transport
	memberLock sync.RWMutex
	members    map[string]*memberState

	logger     *log.Logger
	joinLock   sync.Mutex
	stateLock  sync.Mutex
	state      SerfState
	shutdownCh chan struct{}
}

// Create creates a new Serf instance.
func Create(conf *Config, ml transport, logger *log.Logger) *Serf {
	s := &Serf{
		config:     conf,
		memberlist: ml,
		logger:     logger,
		members:    map[string]*memberState{},
		shutdownCh: make(chan struct{}),
		state:      SerfAlive,
	}
	s.members[conf.NodeName] = &memberState{Member: Member{Name: conf.NodeName}}
	return s
}

// Join joins an existing Serf cluster. Returns the number of nodes
// successfully contacted.
func (s *Serf) Join(existing []string) (int, error) {
	// Do a quick state check
	if s.State() != SerfAlive {
		return 0, errors.New("Serf can't Join after Leave or Shutdown")
	}

	s.joinLock.Lock()
	defer s.joinLock.Unlock()

	// Have memberlist attempt to join
	return s.memberlist.Join(existing)
}

// Leave gracefully exits the cluster. It is safe to call this multiple
// times.
// If the Leave broadcast timeout, Leave() will try to finish the sequence as best effort.
func (s *Serf) Leave() error {
	// Check the current state
	s.stateLock.Lock()

	switch s.state {
	case SerfLeft:
		s.stateLock.Unlock()
		return nil
	case SerfLeaving:
		s.stateLock.Unlock()
		return errors.New("Leave already in progress")
	case SerfShutdown:
		s.stateLock.Unlock()
		return errors.New("Leave called after Shutdown")
	}

	s.state = SerfLeaving
	s.stateLock.Unlock()

	// Construct the message for the graceful leave
	msg := messageLeave{
		LTime: atomic.AddUint64(&s.clock, 1),
		Node:  s.config.NodeName,
	}

	// Process the leave locally
	s.handleNodeLeaveIntent(&msg)

	// Only broadcast the leave message if there is at least one
	// other node alive.
	if s.hasAliveMembers() {
		notifyCh := make(chan struct{})
		if err := s.memberlist.Broadcast(&msg, notifyCh); err != nil {
			s.logger.Printf("[WARN] serf: failed to broadcast leave: %v", err)
		} else {
			select {
			case <-notifyCh:
			case <-time.After(s.config.BroadcastTimeout):
				s.logger.Printf("[WARN] serf: timeout while waiting for graceful leave")
			}
		}
	}

	// Attempt the memberlist leave
	err := s.memberlist.Leave(s.config.BroadcastTimeout)
	if err != nil {
		s.logger.Printf("[WARN] serf: timeout waiting for leave broadcast: %s", err.Error())
	}

	// Wait for the leave to propagate through the cluster. The broadcast
	// timeout is how long we wait for the message to go out from our own
	// queue, but this wait is for that message to propagate through the
	// cluster. In particular, we want to stay up long enough to service
	// any probes from other nodes before they learn about us leaving.
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
//
// It is safe to call this method multiple times.
func (s *Serf) Shutdown() error {
	s.stateLock.Lock()
	defer s.stateLock.Unlock()

	if s.state == SerfShutdown {
		return nil
	}

	if s.state != SerfLeft {
		s.logger.Printf("[WARN] serf: Shutdown without a Leave")
	}

	// Wait to close the shutdown channel until after we've shut down the
	// memberlist and its associated network resources, since the shutdown
	// channel signals that we are cleaned up outside of Serf.
	s.state = SerfShutdown
	err := s.memberlist.Shutdown()
	if err != nil {
		return err
	}
	close(s.shutdownCh)
	return nil
}

// ShutdownCh returns a channel that can be used to wait for
// Serf to shutdown.
func (s *Serf) ShutdownCh() <-chan struct{} {
	return s.shutdownCh
}

// State is the current state of this Serf instance.
func (s *Serf) State() SerfState {
	s.stateLock.Lock()
	defer s.stateLock.Unlock()
	return s.state
}

// hasAliveMembers is called to check for any alive members other than
// ourself.
func (s *Serf) hasAliveMembers() bool {
	s.memberLock.RLock()
	defer s.memberLock.RUnlock()

	for _, m := range s.members {
		// Skip ourself, we want to know if OTHER members are alive
		if m.Name != s.config.NodeName && m.Status == StatusAlive {
			return true
		}
	}
	return false
}

// handleNodeLeaveIntent is called when an intent to leave is received.
func (s *Serf) handleNodeLeaveIntent(leaveMsg *messageLeave) bool {
	s.memberLock.Lock()
	defer s.memberLock.Unlock()

	member, ok := s.members[leaveMsg.Node]
	if !ok || leaveMsg.LTime <= member.statusLTime {
		return false
	}
	member.statusLTime = leaveMsg.LTime
	if member.Status == StatusAlive {
		member.Status = StatusLeaving
		return true
	}
	return false
}

// serve runs the commands of the RPC clients, each in its own goroutine.
func (s *Serf) serve(commands <-chan string) {
	for cmd := range commands {
		go func() {
			var err error
			switch cmd {
			case "leave":
				err = s.Leave()
			case "shutdown":
				err = s.Shutdown()
			default:
				err = fmt.Errorf("unknown command %q", cmd)
			}
			if err != nil {
				s.logger.Printf("[ERR] serf: %s: %v", cmd, err)
			}
		}()
	}
}
