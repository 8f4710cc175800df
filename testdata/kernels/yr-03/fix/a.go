// Package lobby holds the pre-game lobby of a match.
package lobby

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrNotSeated = errors.New("lobby: player is not seated")
	ErrFull      = errors.New("lobby: no free seat")
	ErrNotOwned  = errors.New("lobby: hero is not owned by the player")
)

// Inventory is the remote inventory service.
type Inventory interface {
	Owns(ctx context.Context, player, hero string) (bool, error)
}

// Seat is one slot at the table; seats are ordered by time of joining.
type Seat struct {
	Player string
	Hero   string
	Ready  bool
}

// Lobby is used by the connection goroutines of all its players.
type Lobby struct {
	inv      Inventory
	capacity int

	mu    sync.Mutex
	seats []Seat
}

func New(inv Inventory, capacity int) *Lobby {
	return &Lobby{inv: inv, capacity: capacity}
}

// Join seats the player at the end of the table.
func (l *Lobby) Join(player string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.indexLocked(player) >= 0 {
		return nil
	}
	if len(l.seats) >= l.capacity {
		return ErrFull
	}
	l.seats = append(l.seats, Seat{Player: player})
	return nil
}

// Leave removes the player; the others move up.
func (l *Lobby) Leave(player string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.indexLocked(player)
	if i < 0 {
		return
	}
	l.seats = append(l.seats[:i], l.seats[i+1:]...)
	for j := range l.seats {
		l.seats[j].Ready = false
	}
}

// SetReady marks the player as ready and reports whether the match may start.
func (l *Lobby) SetReady(player string) (start bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.indexLocked(player)
	if i < 0 {
		return false, ErrNotSeated
	}
	l.seats[i].Ready = true
	for _, s := range l.seats {
		if !s.Ready {
			return false, nil
		}
	}
	return len(l.seats) == l.capacity, nil
}

// PickHero lets the player choose a hero. The pick resets the ready mark.
func (l *Lobby) PickHero(ctx context.Context, player, hero string) error {
	if l.seatOf(player) < 0 {
		return ErrNotSeated
	}
	owned, err := l.inv.Owns(ctx, player, hero)
	if err != nil {
		return err
	}
	if !owned {
		return ErrNotOwned
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	seat := l.indexLocked(player)
	if seat < 0 {
		return ErrNotSeated
	}
	l.seats[seat].Hero = hero
	l.seats[seat].Ready = false
	return nil
}

// Seats returns the table for the broadcast to the clients.
func (l *Lobby) Seats() []Seat {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Seat(nil), l.seats...)
}

func (l *Lobby) seatOf(player string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.indexLocked(player)
}

func (l *Lobby) indexLocked(player string) int {
	for i := range l.seats {
		if l.seats[i].Player == player {
			return i
		}
	}
	return -1
}
