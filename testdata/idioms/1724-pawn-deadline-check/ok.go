// Package a keeps the pledges of a pawn shop. A pledge that is neither
// redeemed nor renewed within the term is forfeited.
package a

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrTicket  = errors.New("pawn: unknown ticket")
	ErrPledged = errors.New("pawn: ticket is in use")
)

type pledge struct {
	cents int64
	due   time.Time
	timer *time.Timer
}

// Shop is the stock of one shop.
type Shop struct {
	term time.Duration

	mu        sync.Mutex
	pledges   map[string]*pledge
	forfeited []string
}

// NewShop returns a shop with the given term.
func NewShop(term time.Duration) *Shop {
	return &Shop{term: term, pledges: make(map[string]*pledge)}
}

// Pawn takes an object as security for a loan.
func (s *Shop) Pawn(ticket string, cents int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.pledges[ticket]; ok {
		return ErrPledged
	}
	p := &pledge{cents: cents}
	s.pledges[ticket] = p
	s.begin(ticket, p)
	return nil
}

// begin starts a term. The deadline is set first, so that it has passed when
// the timer fires. The caller holds s.mu.
func (s *Shop) begin(ticket string, p *pledge) {
	p.due = time.Now().Add(s.term)
	p.timer = time.AfterFunc(s.term, func() { s.expire(ticket) })
}

// Renew starts another term and returns its end.
func (s *Shop) Renew(ticket string) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.pledges[ticket]
	if !ok {
		return time.Time{}, ErrTicket
	}
	p.timer.Stop()
	s.begin(ticket, p)
	return p.due, nil
}

// Redeem returns the object and the amount of the loan.
func (s *Shop) Redeem(ticket string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.pledges[ticket]
	if !ok {
		return 0, ErrTicket
	}
	p.timer.Stop()
	delete(s.pledges, ticket)
	return p.cents, nil
}

// expire moves a pledge whose term is over to the sales room.
func (s *Shop) expire(ticket string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.pledges[ticket]
	if !ok || time.Now().Before(p.due) {
		return
	}
	delete(s.pledges, ticket)
	s.forfeited = append(s.forfeited, ticket)
}

// ForSale hands the forfeited tickets to the sales room.
func (s *Shop) ForSale() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.forfeited
	s.forfeited = nil
	return list
}
