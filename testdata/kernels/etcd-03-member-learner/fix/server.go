// Package fix is the membership and leadership part of a replicated server.
package fix

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/atomvet/atomvet/testdata/kernels/etcd-03-member-learner/fix/roster"
)

var (
	// ErrBadTransferee is returned for members that cannot lead.
	ErrBadTransferee = errors.New("server: bad leader transferee")
	// ErrUnhealthy is returned for changes that would cost the quorum.
	ErrUnhealthy = errors.New("server: too few active peers")
)

// ChangeKind is the kind of a Change.
type ChangeKind int

// The kinds of membership changes.
const (
	AddMember ChangeKind = iota
	PromoteMember
	RemoveMember
)

// Change is a committed membership change.
type Change struct {
	Kind   ChangeKind
	Member roster.Member
}

// Consensus is the replication protocol below the server.
type Consensus interface {
	Propose(ctx context.Context, c Change) error
	Transfer(ctx context.Context, to roster.ID)
}

// Server is one member of the group.
type Server struct {
	members *roster.Roster
	log     Consensus
	tick    time.Duration

	lead   atomic.Uint64
	active atomic.Int64 // voting peers heard from lately
}

// NewServer returns a server that applies the changes it receives.
func NewServer(members *roster.Roster, log Consensus, committed <-chan Change) *Server {
	s := &Server{members: members, log: log, tick: 10 * time.Millisecond}
	go s.applyLoop(committed)
	return s
}

func (s *Server) applyLoop(committed <-chan Change) {
	for c := range committed {
		switch c.Kind {
		case AddMember:
			s.members.Add(c.Member)
		case PromoteMember:
			s.members.Promote(c.Member.ID)
		case RemoveMember:
			s.members.Remove(c.Member.ID)
		}
	}
}

// SetLead and SetActive are called by the consensus layer.
func (s *Server) SetLead(id roster.ID) { s.lead.Store(uint64(id)) }

// SetActive records how many voting peers are reachable.
func (s *Server) SetActive(n int) { s.active.Store(int64(n)) }

// HandOver hands the leadership to member to and waits until it leads.
func (s *Server) HandOver(ctx context.Context, to roster.ID) error {
	m := s.members.Member(to)
	if m == nil || m.Learner {
		return ErrBadTransferee
	}

	s.log.Transfer(ctx, to)
	for s.lead.Load() != uint64(to) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(s.tick):
		}
	}
	return nil
}

// Remove proposes to end the membership of id.
func (s *Server) Remove(ctx context.Context, id roster.ID) error {
	if err := s.checkRemove(id); err != nil {
		return err
	}
	return s.log.Propose(ctx, Change{Kind: RemoveMember, Member: roster.Member{ID: id}})
}

// checkRemove refuses removals while hardly any voter is reachable.
func (s *Server) checkRemove(id roster.ID) error {
	m := s.members.Member(id)
	if m != nil && m.Learner {
		return nil
	}
	if s.active.Load() < 2 {
		return ErrUnhealthy
	}
	return nil
}
