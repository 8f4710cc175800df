package a

import (
	"context"
	"sync"
	"time"
)

// Lease tells who leads and until when.
type Lease struct {
	Holder  string
	Expires time.Time
	Term    int64
}

// LeaseStore is the storage layer below the election.
type LeaseStore interface {
	Get(name string) (Lease, bool)
	Put(name string, l Lease)
	Release(name, holder string)
}

// MemStore is the LeaseStore of a single-node installation and of tests.
type MemStore struct {
	mu     sync.RWMutex
	leases map[string]Lease
}

func NewMemStore() *MemStore {
	return &MemStore{leases: make(map[string]Lease)}
}

func (s *MemStore) Get(name string) (Lease, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, ok := s.leases[name]
	return l, ok
}

func (s *MemStore) Put(name string, l Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leases[name] = l
}

// Release ends the lease if holder still has it.
func (s *MemStore) Release(name, holder string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := s.leases[name]; ok && l.Holder == holder {
		l.Holder = ""
		l.Expires = time.Time{}
		s.leases[name] = l
	}
}

// Elector campaigns for one lease on behalf of one replica.
type Elector struct {
	id    string
	name  string
	ttl   time.Duration
	store LeaseStore
}

func NewElector(id, name string, ttl time.Duration, store LeaseStore) *Elector {
	return &Elector{id: id, name: name, ttl: ttl, store: store}
}

// tryAcquire takes the lease or renews the one this replica has.
func (e *Elector) tryAcquire(now time.Time) bool {
	cur, ok := e.store.Get(e.name)
	if ok && cur.Holder != e.id && now.Before(cur.Expires) {
		return false
	}
	next := Lease{Holder: e.id, Expires: now.Add(e.ttl), Term: cur.Term}
	if cur.Holder != e.id {
		next.Term++
	}
	e.store.Put(e.name, next)
	return true
}

// Run campaigns until ctx ends. lead runs while this replica is the leader
// and has to return when its context is cancelled.
func (e *Elector) Run(ctx context.Context, lead func(context.Context)) {
	var (
		stop func()
		tick = time.NewTicker(e.ttl / 3)
	)
	defer tick.Stop()
	for {
		won := e.tryAcquire(time.Now())
		switch {
		case won && stop == nil:
			stop = startLeading(ctx, lead)
		case !won && stop != nil:
			stop()
			stop = nil
		}
		select {
		case <-ctx.Done():
			if stop != nil {
				stop()
				e.store.Release(e.name, e.id)
			}
			return
		case <-tick.C:
		}
	}
}

func startLeading(ctx context.Context, lead func(context.Context)) func() {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		lead(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// RunReplicas starts one elector for each replica id.
func RunReplicas(ctx context.Context, store LeaseStore, ids []string, lead func(ctx context.Context, id string)) {
	var wg sync.WaitGroup
	for _, id := range ids {
		e := NewElector(id, "compactor", 15*time.Second, store)
		wg.Add(1)
		go func() {
			defer wg.Done()
			e.Run(ctx, func(ctx context.Context) { lead(ctx, id) })
		}()
	}
	wg.Wait()
}
