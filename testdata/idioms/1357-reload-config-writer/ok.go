package raft

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Config is immutable once it is stored.
type Config struct {
	LocalID           string
	MaxAppendEntries  int
	TrailingLogs      uint64
	SnapshotInterval  time.Duration
	SnapshotThreshold uint64
	HeartbeatTimeout  time.Duration
	ElectionTimeout   time.Duration
}

// ReloadableConfig is the subset of Config that may be changed at run time.
type ReloadableConfig struct {
	TrailingLogs      uint64
	SnapshotInterval  time.Duration
	SnapshotThreshold uint64
	HeartbeatTimeout  time.Duration
	ElectionTimeout   time.Duration
}

func (rc *ReloadableConfig) apply(to Config) Config {
	to.TrailingLogs = rc.TrailingLogs
	to.SnapshotInterval = rc.SnapshotInterval
	to.SnapshotThreshold = rc.SnapshotThreshold
	to.HeartbeatTimeout = rc.HeartbeatTimeout
	to.ElectionTimeout = rc.ElectionTimeout
	return to
}

func validateConfig(config *Config) error {
	if config.ElectionTimeout < config.HeartbeatTimeout {
		return errors.New("ElectionTimeout must be equal or greater than HeartbeatTimeout")
	}
	return nil
}

// Raft is a node.
type Raft struct {
	// conf stores the current configuration to use. This is the most recent one
	// provided. All reads of config values should use the config() helper method
	// to read this safely.
	conf atomic.Value

	// confReloadMu ensures that only one thread can reload config at once since
	// we need to read-modify-write the atomic. It is NOT necessary to hold this
	// for any other operation e.g. reading config using config().
	confReloadMu sync.Mutex

	leaderNotifyCh   chan struct{}
	followerNotifyCh chan struct{}
	heartbeatCh      chan struct{}
	shutdownCh       chan struct{}
}

// NewRaft makes a node.
func NewRaft(conf Config) (*Raft, error) {
	if err := validateConfig(&conf); err != nil {
		return nil, err
	}
	r := &Raft{
		leaderNotifyCh:   make(chan struct{}, 1),
		followerNotifyCh: make(chan struct{}, 1),
		heartbeatCh:      make(chan struct{}),
		shutdownCh:       make(chan struct{}),
	}
	r.conf.Store(conf)
	return r, nil
}

func (r *Raft) config() Config {
	return r.conf.Load().(Config)
}

// ReloadConfig updates the configuration of a running raft node.
func (r *Raft) ReloadConfig(rc ReloadableConfig) error {
	r.confReloadMu.Lock()
	defer r.confReloadMu.Unlock()

	// Load the current config (note we are under a lock so it can't be changed
	// between this read and a later Store).
	oldCfg := r.config()

	// Set the reloadable fields
	newCfg := rc.apply(oldCfg)

	if err := validateConfig(&newCfg); err != nil {
		return err
	}
	r.conf.Store(newCfg)

	if rc.HeartbeatTimeout < oldCfg.HeartbeatTimeout {
		// On leader, ensure replication loops running with a longer
		// timeout than what we want now discover the change.
		asyncNotifyCh(r.leaderNotifyCh)
		// On follower, update current timer to use the shorter new value.
		asyncNotifyCh(r.followerNotifyCh)
	}
	return nil
}

func asyncNotifyCh(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// runFollower returns when no heartbeat has come for long enough.
func (r *Raft) runFollower() {
	heartbeatTimer := time.After(r.config().HeartbeatTimeout)
	lastContact := time.Now()
	for {
		select {
		case <-r.heartbeatCh:
			lastContact = time.Now()
		case <-r.followerNotifyCh:
			heartbeatTimer = time.After(0)
		case <-heartbeatTimer:
			// Restart the heartbeat timer
			hbTimeout := r.config().HeartbeatTimeout
			heartbeatTimer = time.After(hbTimeout)

			// Check if we have had a successful contact
			if time.Since(lastContact) < hbTimeout {
				continue
			}
			return
		case <-r.shutdownCh:
			return
		}
	}
}
