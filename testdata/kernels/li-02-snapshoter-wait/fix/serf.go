package serf

import (
	"fmt"
	"log"
	"os"
	"sync"
)

const snapshotSizeLimit = 128 * 1024

// SerfState is the state of the Serf instance.
type SerfState int

const (
	SerfAlive SerfState = iota
	SerfLeft
	SerfShutdown
)

// Config is the configuration for creating a Serf instance.
type Config struct {
	NodeName     string
	SnapshotPath string
	EventCh      chan<- Event
}

// transport is what Serf needs of memberlist.
type transport interface {
	Join(addrs []string) (int, error)
	Shutdown() error
}

// Serf is a single node that is part of a single cluster that gets
// events about joins/leaves/failures/etc.
type Serf struct {
	config     *Config
	memberlist transport
	clock      LamportClock

	logger     *log.Logger
	stateLock  sync.Mutex
	state      SerfState
	shutdownCh chan struct{}

	eventCh    chan<- Event
	snapshoter *Snapshoter
}

// Create creates a new Serf instance, starting all the background tasks
// to maintain cluster membership information.
func Create(conf *Config, ml transport) (*Serf, error) {
	serf := &Serf{
		config:     conf,
		memberlist: ml,
		logger:     log.New(os.Stderr, "", log.LstdFlags),
		eventCh:    conf.EventCh,
		shutdownCh: make(chan struct{}),
	}

	// Try access the snapshot
	var oldClock LamportTime
	var prev []*PreviousNode
	if conf.SnapshotPath != "" {
		eventCh, snap, err := NewSnapshoter(conf.SnapshotPath, snapshotSizeLimit,
			serf.logger, &serf.clock, conf.EventCh, serf.shutdownCh)
		if err != nil {
			return nil, fmt.Errorf("Failed to setup snapshot: %v", err)
		}
		serf.snapshoter = snap
		serf.eventCh = eventCh
		prev = snap.previous
		oldClock = snap.oldClock
	}

	// Ensure our lamport clock is at least 1, so that the default
	// join LTime of 0 does not cause issues
	serf.clock.Increment()

	// Restore the clock from snap if we have one
	serf.clock.Witness(oldClock)

	// Attempt to re-join the cluster if we have known nodes
	if len(prev) != 0 {
		go serf.handleRejoin(prev)
	}
	return serf, nil
}

// handleRejoin attempts to reconnect to previously known alive nodes
func (s *Serf) handleRejoin(previous []*PreviousNode) {
	for _, prev := range previous {
		s.logger.Printf("[INFO] Attempting re-join to previously known node: %s", prev)
		if _, err := s.memberlist.Join([]string{prev.Addr}); err == nil {
			return
		}
	}
	s.logger.Printf("[WARN] Failed to re-join any previously known node")
}

// notifyMember is invoked when memberlist saw a change of a member.
func (s *Serf) notifyMember(t EventType, m Member) {
	s.clock.Increment()
	if s.eventCh == nil {
		return
	}
	select {
	case s.eventCh <- MemberEvent{Type: t, Members: []Member{m}}:
	case <-s.shutdownCh:
	}
}

// Leave gracefully exits the cluster.
func (s *Serf) Leave() error {
	s.stateLock.Lock()
	defer s.stateLock.Unlock()

	if s.state == SerfShutdown {
		return fmt.Errorf("Leave called after Shutdown")
	}
	s.state = SerfLeft
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
		s.logger.Println("[WARN] Shutdown without a Leave")
	}

	err := s.memberlist.Shutdown()
	if err != nil {
		return err
	}

	s.state = SerfShutdown
	close(s.shutdownCh)

	// Wait for the snapshoter to finish if we have one
	if s.snapshoter != nil {
		s.snapshoter.Wait()
	}

	return nil
}

// State is the current state of this Serf instance.
func (s *Serf) State() SerfState {
	s.stateLock.Lock()
	defer s.stateLock.Unlock()
	return s.state
}
