package etcdserver

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

var (
	ErrTimeout       = errors.New("etcdserver: request timed out")
	ErrCanceled      = errors.New("etcdserver: request cancelled")
	ErrLeaderChanged = errors.New("etcdserver: leader changed")
	ErrNoLeader      = errors.New("etcdserver: no leader")
)

const applyTimeout = time.Second

type LeaseTimeToLiveRequest struct {
	ID   int64
	Keys bool
}

type LeaseTimeToLiveResponse struct {
	ID         int64
	TTL        int64
	GrantedTTL int64
	Keys       []string
}

// SoftState is volatile raft state that is useful for logging and debugging.
type SoftState struct {
	Lead uint64
}

type EtcdServer struct {
	memberID uint64
	lead     atomic.Uint64
	lessor   *lessor

	// softStates are delivered by the raft loop
	softStates <-chan SoftState
	// waitApplied waits until the applied index has reached the index committed now
	waitApplied func() <-chan struct{}
	// forward asks the lessor of another member
	forward func(ctx context.Context, lead uint64, id LeaseID, keys bool) (*LeaseTimeToLiveResponse, error)
	stopc   chan struct{}
}

func NewServer(id uint64, softStates <-chan SoftState, waitApplied func() <-chan struct{},
	forward func(ctx context.Context, lead uint64, id LeaseID, keys bool) (*LeaseTimeToLiveResponse, error)) *EtcdServer {
	s := &EtcdServer{
		memberID:    id,
		lessor:      newLessor(),
		softStates:  softStates,
		waitApplied: waitApplied,
		forward:     forward,
		stopc:       make(chan struct{}),
	}
	go s.run()
	return s
}

// run handles changes of the leader.
func (s *EtcdServer) run() {
	for {
		select {
		case ss := <-s.softStates:
			s.setLead(ss.Lead)
			if !s.isLeader() {
				if s.lessor != nil {
					s.lessor.Demote()
				}
			} else {
				s.lessor.Promote(time.Second)
			}
		case <-s.stopc:
			return
		}
	}
}

func (s *EtcdServer) setLead(v uint64) {
	s.lead.Store(v)
}

func (s *EtcdServer) getLead() uint64 {
	return s.lead.Load()
}

func (s *EtcdServer) isLeader() bool {
	return s.memberID == s.getLead()
}

func (s *EtcdServer) waitAppliedIndex() error {
	select {
	case <-s.waitApplied():
	case <-s.stopc:
		return ErrCanceled
	case <-time.After(applyTimeout):
		return ErrTimeout
	}
	return nil
}

func (s *EtcdServer) leaseTimeToLive(ctx context.Context, r *LeaseTimeToLiveRequest) (*LeaseTimeToLiveResponse, error) {
	if s.isLeader() {
		if err := s.waitAppliedIndex(); err != nil {
			return nil, err
		}
		// primary; timetolive directly from leader
		le := s.lessor.Lookup(LeaseID(r.ID))
		if le == nil {
			return nil, ErrLeaseNotFound
		}
		// TODO: fill out ResponseHeader
		resp := &LeaseTimeToLiveResponse{ID: r.ID, TTL: int64(le.Remaining().Seconds()), GrantedTTL: le.TTL()}
		if r.Keys {
			resp.Keys = le.Keys()
		}

		// The leasor could be demoted if leader changed during lookup.
		// We should return error to force retry instead of returning
		// incorrect remaining TTL.
		if le.Demoted() {
			return nil, ErrLeaderChanged
		}
		return resp, nil
	}

	cctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()

	// forward to leader
	for cctx.Err() == nil {
		lead := s.getLead()
		if lead == 0 {
			return nil, ErrNoLeader
		}
		resp, err := s.forward(cctx, lead, LeaseID(r.ID), r.Keys)
		if err == nil {
			return resp, nil
		}
		if err == ErrLeaseNotFound {
			return nil, err
		}
	}

	if cctx.Err() == context.DeadlineExceeded {
		return nil, ErrTimeout
	}
	return nil, ErrCanceled
}

// LeaseTimeToLive retrieves lease information.
func (s *EtcdServer) LeaseTimeToLive(ctx context.Context, r *LeaseTimeToLiveRequest) (*LeaseTimeToLiveResponse, error) {
	return s.leaseTimeToLive(ctx, r)
}

// Stop stops the server.
func (s *EtcdServer) Stop() {
	close(s.stopc)
}
