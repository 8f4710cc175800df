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
	ticket string
	cents  int64
	round  int // number of terms so far
	timer  *time.Timer
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
	p := &pledge{ticket: ticket, cents: cents}
	s.pledges[ticket] = p
	s.begin(p)
	return nil
}

// begin starts a term. The caller holds s.mu.
func (s *Shop) begin(p *pledge) {
	p.round++
	p.timer = time.AfterFunc(s.term, func() { s.forfeit(p.ticket) })
}

// Renew starts another term against payment of the interest.
func (s *Shop) Renew(ticket string) (rounds int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.pledges[ticket]
	if !ok {
		return 0, ErrTicket
	}
	p.timer.Stop()
	s.begin(p)
	return p.round, nil
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

// forfeit moves a pledge to the sales room at the end of its term.
func (s *Shop) forfeit(ticket string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.pledges[ticket]; !ok {
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
