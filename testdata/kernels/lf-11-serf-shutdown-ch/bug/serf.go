package serf

import (
	"fmt"
	"log"
	"sync"
	"time"
)

// Config is the configuration for creating a Serf instance.
type Config struct {
	NodeName         string
	Bind             string
	BroadcastTimeout time.Duration
	ReapInterval     time.Duration
	TombstoneTimeout time.Duration
	EventCh          chan<- Event
	Logger           *log.Logger
}

// Event is sent to the application about members.
type Event struct {
	Type   string
	Member Member
}

// MemberStatus is the state that a member is in.
type MemberStatus int

const (
	StatusAlive MemberStatus = iota
	StatusLeaving
	StatusLeft
	StatusFailed
)

// Member is a single member of the Serf cluster.
type Member struct {
	Name   string
	Addr   string
	Status MemberStatus
}

// memberState is used to track members that are no longer active due to
// leaving, failing, partitioning, etc.
type memberState struct {
	Member
	leaveTime time.Time // wall clock time of leave
}

// SerfState is the state of the Serf instance.
type SerfState int

const (
	SerfAlive SerfState = iota
	SerfLeaving
	SerfLeft
	SerfShutdown
)

// Serf is a single node that is part of a single cluster that gets
// events about joins/leaves/failures/etc. It is created with the Create
// method.
type Serf struct {
	config *Config

	leftMembers []*memberState
	memberlist  *Memberlist
	memberLock  sync.RWMutex
	members     map[string]*memberState

	logger     *log.Logger
	joinLock   sync.Mutex
	stateLock  sync.Mutex
	state      SerfState
	shutdownCh chan struct{}
}

// Create creates a new Serf instance, starting all the background tasks
// to maintain cluster membership information.
func Create(conf *Config) (*Serf, error) {
	serf := &Serf{
		config:     conf,
		logger:     conf.Logger,
		members:    make(map[string]*memberState),
		shutdownCh: make(chan struct{}),
		state:      SerfAlive,
	}

	// Create the underlying memberlist that will manage membership
	// and failure detection for the Serf instance.
	ml, err := newMemberlist(conf.Bind, serf.handleNodeJoin, conf.Logger)
	if err != nil {
		return nil, fmt.Errorf("Failed to create memberlist: %v", err)
	}
	serf.memberlist = ml

	// Start the background tasks. See the documentation above each method
	// for more information on their role.
	go serf.handleReap()

	return serf, nil
}

// Join joins an existing Serf cluster. Returns the number of nodes
// successfully contacted.
func (s *Serf) Join(existing []string) (int, error) {
	// Do a quick state check
	if s.State() != SerfAlive {
		return 0, fmt.Errorf("Serf can't Join after Leave or Shutdown")
	}

	s.joinLock.Lock()
	defer s.joinLock.Unlock()

	// Have memberlist attempt to join
	return s.memberlist.Join(existing)
}

// State is the current state of this Serf instance.
func (s *Serf) State() SerfState {
	s.stateLock.Lock()
	defer s.stateLock.Unlock()
	return s.state
}

// Leave gracefully exits the cluster. It is safe to call this multiple
// times.
func (s *Serf) Leave() error {
	// Check the current state
	s.stateLock.Lock()
	if s.state == SerfLeft {
		s.stateLock.Unlock()
		return nil
	} else if s.state == SerfLeaving {
		s.stateLock.Unlock()
		return fmt.Errorf("Leave already in progress")
	} else if s.state == SerfShutdown {
		s.stateLock.Unlock()
		return fmt.Errorf("Leave called after Shutdown")
	}
	s.state = SerfLeaving
	s.stateLock.Unlock()

	// Attempt the memberlist leave
	err := s.memberlist.Leave(s.config.BroadcastTimeout)
	if err != nil {
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

// Members returns a point-in-time snapshot of the members of this cluster.
func (s *Serf) Members() []Member {
	s.memberLock.RLock()
	defer s.memberLock.RUnlock()

	members := make([]Member, 0, len(s.members))
	for _, m := range s.members {
		members = append(members, m.Member)
	}

	return members
}

// Shutdown forcefully shuts down the Serf instance, stopping all network
// activity and background maintenance associated with the instance.
//
// This is not a graceful shutdown, and should be preceded by a call
// to Leave. Otherwise, other nodes in the cluster will detect this node's
// exit as a node failure.
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

	s.state = SerfShutdown
	close(s.shutdownCh)

	err := s.memberlist.Shutdown()
	if err != nil {
		return err
	}

	return nil
}

// ShutdownCh returns a channel that can be used to wait for
// Serf to shutdown.
func (s *Serf) ShutdownCh() <-chan struct{} {
	return s.shutdownCh
}

// handleNodeJoin is called when a node join event is received
// from memberlist.
func (s *Serf) handleNodeJoin(name, addr string) {
	s.memberLock.Lock()
	defer s.memberLock.Unlock()

	member, ok := s.members[name]
	if !ok {
		member = &memberState{Member: Member{Name: name}}
		s.members[name] = member
	}
	member.Addr = addr
	member.Status = StatusAlive
	member.leaveTime = time.Time{}

	// Send an event along
	if s.config.EventCh != nil {
		select {
		case s.config.EventCh <- Event{Type: "member-join", Member: member.Member}:
		default:
		}
	}
}

// handleReap periodically reaps the list of failed and left members.
func (s *Serf) handleReap() {
	for {
		select {
		case <-time.After(s.config.ReapInterval):
			s.memberLock.Lock()
			s.leftMembers = s.reap(s.leftMembers, s.config.TombstoneTimeout)
			s.memberLock.Unlock()
		case <-s.shutdownCh:
			return
		}
	}
}

// reap is called with a list of old members and a timeout, and removes
// members that have exceeded the timeout. The members are removed from
// both the old list and the members itself. Locking is left to the caller.
func (s *Serf) reap(old []*memberState, timeout time.Duration) []*memberState {
	now := time.Now()
	keep := old[:0]
	for _, m := range old {
		// Skip if the timeout is not yet reached
		if now.Sub(m.leaveTime) <= timeout {
			keep = append(keep, m)
			continue
		}
		delete(s.members, m.Name)
	}
	return keep
}
