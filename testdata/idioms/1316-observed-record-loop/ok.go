package leaderelection

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"
)

var errNotFound = errors.New("not found")

type LeaderElectionRecord struct {
	HolderIdentity    string
	LeaseDuration     time.Duration
	AcquireTime       time.Time
	RenewTime         time.Time
	LeaderTransitions int
}

// Interface offers a common interface for locking on arbitrary resources. An
// update of a record that was changed since the last Get, Create or Update of
// this client is refused by the server.
type Interface interface {
	Get(ctx context.Context) (*LeaderElectionRecord, []byte, error)
	Create(ctx context.Context, ler LeaderElectionRecord) error
	Update(ctx context.Context, ler LeaderElectionRecord) error
	Identity() string
}

type Config struct {
	Lock             Interface
	LeaseDuration    time.Duration
	RetryPeriod      time.Duration
	OnStartedLeading func(context.Context)
	OnNewLeader      func(identity string)
}

// LeaderElector is a leader election client.
type LeaderElector struct {
	config Config
	// internal bookkeeping
	observedRecord    LeaderElectionRecord
	observedRawRecord []byte
	observedTime      time.Time
	// used to implement OnNewLeader(), may lag slightly from the
	// value observedRecord.HolderIdentity if the transition has
	// not yet been reported.
	reportedLeader string

	// used to lock the observedRecord
	observedRecordLock sync.Mutex
}

func NewLeaderElector(c Config) *LeaderElector { return &LeaderElector{config: c} }

// Run starts the leader election loop. It is called once, and blocks until the
// context is done or the lease is lost.
func (le *LeaderElector) Run(ctx context.Context) {
	if !le.loop(ctx, true) {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go le.config.OnStartedLeading(ctx)
	le.loop(ctx, false)
}

// loop tries until the attempt has the wanted outcome.
func (le *LeaderElector) loop(ctx context.Context, want bool) bool {
	t := time.NewTicker(le.config.RetryPeriod)
	defer t.Stop()
	for {
		succeeded := le.tryAcquireOrRenew(ctx)
		le.maybeReportTransition()
		if succeeded == want {
			return true
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return false
		}
	}
}

// GetLeader returns the identity of the last observed leader or returns the empty string if
// no leader has yet been observed. It is called by any goroutine.
func (le *LeaderElector) GetLeader() string {
	return le.getObservedRecord().HolderIdentity
}

// IsLeader returns true if the last observed leader was this client else returns false.
func (le *LeaderElector) IsLeader() bool {
	return le.getObservedRecord().HolderIdentity == le.config.Lock.Identity()
}

func (le *LeaderElector) isLeaseValid(now time.Time) bool {
	le.observedRecordLock.Lock()
	defer le.observedRecordLock.Unlock()
	return le.observedTime.Add(le.observedRecord.LeaseDuration).After(now)
}

// tryAcquireOrRenew tries to acquire a leader lease if it is not already acquired,
// else it tries to renew the lease if it has already been acquired. Returns true
// on success else returns false.
func (le *LeaderElector) tryAcquireOrRenew(ctx context.Context) bool {
	now := time.Now()
	leaderElectionRecord := LeaderElectionRecord{
		HolderIdentity: le.config.Lock.Identity(),
		LeaseDuration:  le.config.LeaseDuration,
		RenewTime:      now,
		AcquireTime:    now,
	}

	// 1. fast path for the leader to update optimistically assuming that the record observed
	// last time is the current version.
	if le.IsLeader() && le.isLeaseValid(now) {
		oldObservedRecord := le.getObservedRecord()
		leaderElectionRecord.AcquireTime = oldObservedRecord.AcquireTime
		leaderElectionRecord.LeaderTransitions = oldObservedRecord.LeaderTransitions

		err := le.config.Lock.Update(ctx, leaderElectionRecord)
		if err == nil {
			le.setObservedRecord(&leaderElectionRecord)
			return true
		}
	}

	// 2. obtain or create the ElectionRecord
	oldLeaderElectionRecord, oldLeaderElectionRawRecord, err := le.config.Lock.Get(ctx)
	if err != nil {
		if !errors.Is(err, errNotFound) {
			return false
		}
		if err = le.config.Lock.Create(ctx, leaderElectionRecord); err != nil {
			return false
		}
		le.setObservedRecord(&leaderElectionRecord)
		return true
	}

	// 3. Record obtained, check the Identity & Time
	if !bytes.Equal(le.observedRawRecord, oldLeaderElectionRawRecord) {
		le.setObservedRecord(oldLeaderElectionRecord)
		le.observedRawRecord = oldLeaderElectionRawRecord
	}
	if len(oldLeaderElectionRecord.HolderIdentity) > 0 && le.isLeaseValid(now) && !le.IsLeader() {
		return false
	}

	// 4. We're going to try to update. The leaderElectionRecord is set to it's default
	// here. Let's correct it before updating.
	if le.IsLeader() {
		leaderElectionRecord.AcquireTime = oldLeaderElectionRecord.AcquireTime
		leaderElectionRecord.LeaderTransitions = oldLeaderElectionRecord.LeaderTransitions
	} else {
		leaderElectionRecord.LeaderTransitions = oldLeaderElectionRecord.LeaderTransitions + 1
	}

	// update the lock itself
	if err = le.config.Lock.Update(ctx, leaderElectionRecord); err != nil {
		return false
	}

	le.setObservedRecord(&leaderElectionRecord)
	return true
}

func (le *LeaderElector) maybeReportTransition() {
	if le.observedRecord.HolderIdentity == le.reportedLeader {
		return
	}
	le.reportedLeader = le.observedRecord.HolderIdentity
	if le.config.OnNewLeader != nil {
		go le.config.OnNewLeader(le.reportedLeader)
	}
}

// setObservedRecord will set a new observedRecord and update observedTime to the current time.
// Protect critical sections with lock.
func (le *LeaderElector) setObservedRecord(observedRecord *LeaderElectionRecord) {
	le.observedRecordLock.Lock()
	defer le.observedRecordLock.Unlock()

	le.observedRecord = *observedRecord
	le.observedTime = time.Now()
}

// getObservedRecord returns observersRecord.
// Protect critical sections with lock.
func (le *LeaderElector) getObservedRecord() LeaderElectionRecord {
	le.observedRecordLock.Lock()
	defer le.observedRecordLock.Unlock()

	return le.observedRecord
}
