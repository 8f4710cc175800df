// Package a sells the places of a ferry sailing.
package a

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrFull     = errors.New("ferry: no place left")
	ErrDeparted = errors.New("ferry: ship has departed")
	ErrTicket   = errors.New("ferry: unknown ticket")
)

// Sailing is one departure. The channel holds one token per free place.
type Sailing struct {
	places chan struct{}
	gone   chan struct{} // closed at departure

	mu       sync.Mutex
	departed bool
	last     int
	tickets  map[int]string // ticket to passenger
}

// NewSailing returns a departure with n places.
func NewSailing(n int) *Sailing {
	s := &Sailing{
		places:  make(chan struct{}, n),
		gone:    make(chan struct{}),
		tickets: make(map[int]string),
	}
	for range n {
		s.places <- struct{}{}
	}
	return s
}

// Sell sells a place, if there is one, and returns the ticket.
func (s *Sailing) Sell(passenger string) (int, error) {
	select {
	case <-s.places:
		return s.issue(passenger)
	default:
		return 0, ErrFull
	}
}

// Await is like Sell but waits until somebody gives a place back.
func (s *Sailing) Await(ctx context.Context, passenger string) (int, error) {
	select {
	case <-s.places:
		return s.issue(passenger)
	case <-s.gone:
		return 0, ErrDeparted
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// issue writes the ticket for a place that the caller has taken.
func (s *Sailing) issue(passenger string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.departed {
		s.places <- struct{}{}
		return 0, ErrDeparted
	}
	s.last++
	s.tickets[s.last] = passenger
	return s.last, nil
}

// Return takes a ticket back and frees its place.
func (s *Sailing) Return(ticket int) error {
	if err := s.void(ticket); err != nil {
		return err
	}
	s.places <- struct{}{}
	return nil
}

func (s *Sailing) void(ticket int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.departed {
		return ErrDeparted
	}
	if _, ok := s.tickets[ticket]; !ok {
		return ErrTicket
	}
	delete(s.tickets, ticket)
	return nil
}

// Depart ends the sale, wakes those who wait for a place and returns the number of passengers.
func (s *Sailing) Depart() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.departed {
		s.departed = true
		close(s.gone)
	}
	return len(s.tickets)
}

// Left is the number of free places on the web page.
func (s *Sailing) Left() int {
	return len(s.places)
}
