package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrNotPrimary    = errors.New("not a primary lessor")
	ErrLeaseNotFound = errors.New("lease not found")
)

type LeaseID int64

type Lease struct {
	ID     LeaseID
	ttl    int64
	mu     sync.RWMutex
	expiry time.Time
}

func (l *Lease) refresh(extend time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expiry = time.Now().Add(time.Duration(l.ttl)*time.Second + extend)
}

type lessor struct {
	mu       sync.RWMutex
	demotec  chan struct{}
	leaseMap map[LeaseID]*Lease
}

func (le *lessor) Grant(id LeaseID, ttl int64) *Lease {
	l := &Lease{ID: id, ttl: ttl}
	l.refresh(0)
	le.mu.Lock()
	defer le.mu.Unlock()
	le.leaseMap[id] = l
	return l
}

func (le *lessor) Promote(extend time.Duration) {
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.demotec == nil {
		le.demotec = make(chan struct{})
	}
	for _, l := range le.leaseMap {
		l.refresh(extend)
	}
}

func (le *lessor) Demote() {
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.demotec != nil {
		close(le.demotec)
		le.demotec = nil
	}
}

func (le *lessor) Renew(id LeaseID) (int64, error) {
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.demotec == nil {
		return -1, ErrNotPrimary
	}
	l := le.leaseMap[id]
	if l == nil {
		return -1, ErrLeaseNotFound
	}
	l.refresh(0)
	return l.ttl, nil
}

// raftNode is the consensus module; ReadIndex needs a round trip to a quorum.
type raftNode interface {
	ReadIndex(ctx context.Context) error
	Lead() uint64
	SoftStates() <-chan uint64
}

type EtcdServer struct {
	id         uint64
	r          raftNode
	lead       atomic.Uint64
	lessor     *lessor
	reqTimeout time.Duration
}

func NewServer(id uint64, r raftNode) *EtcdServer {
	s := &EtcdServer{
		id:         id,
		r:          r,
		lessor:     &lessor{leaseMap: make(map[LeaseID]*Lease)},
		reqTimeout: 5 * time.Second,
	}
	go s.run()
	return s
}

func (s *EtcdServer) run() {
	for lead := range s.r.SoftStates() {
		s.lead.Store(lead)
		if lead == s.id {
			s.lessor.Promote(s.reqTimeout)
		} else {
			s.lessor.Demote()
		}
	}
}

func (s *EtcdServer) isLeader() bool { return s.lead.Load() == s.id }

// ensureLeadership checks whether the current member is still the leader.
func (s *EtcdServer) ensureLeadership(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, s.reqTimeout)
	defer cancel()
	if err := s.r.ReadIndex(ctx); err != nil {
		return false
	}
	return s.r.Lead() == s.id
}

// LeaseRenew extends the lease; a follower forwards the request to the leader.
func (s *EtcdServer) LeaseRenew(ctx context.Context, id LeaseID) (int64, error) {
	if s.isLeader() {
		if !s.ensureLeadership(ctx) {
			return -1, ErrNotPrimary
		}
		ttl, err := s.lessor.Renew(id)
		if err == nil || !errors.Is(err, ErrNotPrimary) {
			return ttl, err
		}
	}
	return -1, ErrNotPrimary // the client tries another member
}
