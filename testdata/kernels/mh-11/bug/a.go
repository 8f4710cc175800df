// Package a elects one leader among several replicas by means of a record in
// a shared store.
package a

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	ErrConflict = errors.New("record was changed")
	ErrNoRecord = errors.New("no record")
)

// Record says who leads and until when.
type Record struct {
	Holder      string
	Until       time.Time
	Transitions int
}

// RecordStore is the shared store. Replicas in other processes use it too.
type RecordStore interface {
	// Get returns the record and its version.
	Get(ctx context.Context) (Record, int64, error)
	// Put writes the record, whatever is there.
	Put(ctx context.Context, r Record) error
	// Update writes the record if its version is still the given one (0 if
	// there must be none) and fails with ErrConflict otherwise.
	Update(ctx context.Context, r Record, version int64) error
}

// MemStore is a RecordStore for replicas in one process.
type MemStore struct {
	mu      sync.Mutex
	rec     Record
	version int64
}

func (m *MemStore) Get(context.Context) (Record, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.version == 0 {
		return Record{}, 0, ErrNoRecord
	}
	return m.rec, m.version, nil
}

func (m *MemStore) Put(_ context.Context, r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rec = r
	m.version++
	return nil
}

func (m *MemStore) Update(_ context.Context, r Record, version int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.version != version {
		return ErrConflict
	}
	m.rec = r
	m.version++
	return nil
}

// Elector is one replica.
type Elector struct {
	id     string
	store  RecordStore
	lease  time.Duration
	period time.Duration
	now    func() time.Time

	mu     sync.Mutex
	leader bool
}

// NewElector returns a replica. It retries and renews three times per lease.
func NewElector(id string, store RecordStore, lease time.Duration) *Elector {
	return &Elector{id: id, store: store, lease: lease, period: lease / 3, now: time.Now}
}

// IsLeader tells whether the last attempt made or kept this replica leader.
func (e *Elector) IsLeader() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.leader
}

func (e *Elector) setLeader(v bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leader = v
}

// tryAcquireOrRenew makes one attempt.
func (e *Elector) tryAcquireOrRenew(ctx context.Context) (bool, error) {
	now := e.now()
	rec, version, err := e.store.Get(ctx)
	if err != nil && !errors.Is(err, ErrNoRecord) {
		return false, err
	}
	if rec.Holder != e.id {
		if rec.Holder != "" && rec.Until.After(now) {
			return false, nil
		}
		rec.Transitions++
	}
	rec.Holder = e.id
	rec.Until = now.Add(e.lease)
	if err := e.store.Update(ctx, rec, version); err != nil {
		if errors.Is(err, ErrConflict) {
			return false, nil
		}
		return false, err
	}
	return true, nil
}

// release gives the leadership up, so that the others need not wait for the
// end of the lease.
func (e *Elector) release(ctx context.Context) error {
	if !e.IsLeader() {
		return nil
	}
	e.setLeader(false)
	rec, _, err := e.store.Get(ctx)
	if err != nil {
		return err
	}
	if rec.Holder != e.id {
		return nil
	}
	rec.Holder = ""
	rec.Until = e.now()
	return e.store.Put(ctx, rec)
}

// Run takes part in the election until the context ends.
func (e *Elector) Run(ctx context.Context, changed func(leader bool)) error {
	t := time.NewTicker(e.period)
	defer t.Stop()
	for {
		ok, err := e.tryAcquireOrRenew(ctx)
		ok = ok && err == nil
		if was := e.IsLeader(); was != ok {
			e.setLeader(ok)
			changed(ok)
		}
		select {
		case <-ctx.Done():
			rctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.period)
			defer cancel()
			if e.IsLeader() {
				changed(false)
			}
			return e.release(rctx)
		case <-t.C:
		}
	}
}

// Bootstrap writes the first record at the installation of a cluster.
func Bootstrap(ctx context.Context, store RecordStore, holder string, until time.Time) error {
	return store.Put(ctx, Record{Holder: holder, Until: until})
}
