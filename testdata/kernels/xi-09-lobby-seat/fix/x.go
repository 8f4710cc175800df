// Package lobby seats players at a game table before the match begins.
package lobby

import (
	"context"
	"errors"
	"sync"
)

// Errors returned by Table.
var (
	ErrFull    = errors.New("lobby: table is full")
	ErrSeated  = errors.New("lobby: player is seated already")
	ErrStarted = errors.New("lobby: match has started")
)

// Profile is what the account service knows about a player.
type Profile struct {
	ID     string
	Name   string
	Rating int
}

// Accounts is the account service.
type Accounts interface {
	Load(ctx context.Context, id string) (Profile, error)
}

// Table has a fixed number of seats.
type Table struct {
	accounts Accounts

	mu       sync.Mutex
	seats    []*Profile
	profiles map[string]Profile // loaded before, players come and go a lot
	started  bool
}

// NewTable returns a table with n free seats.
func NewTable(accounts Accounts, n int) *Table {
	return &Table{
		accounts: accounts,
		seats:    make([]*Profile, n),
		profiles: make(map[string]Profile),
	}
}

// Sit gives the player a seat and returns its number.
func (t *Table) Sit(ctx context.Context, id string) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()

	p, err := t.profile(ctx, id)
	if err != nil {
		return -1, err
	}
	seat, err := t.freeSeat(id)
	if err != nil {
		return -1, err
	}
	t.seats[seat] = &p
	return seat, nil
}

// freeSeat returns the first seat the player could take.
func (t *Table) freeSeat(id string) (int, error) {
	if t.started {
		return -1, ErrStarted
	}
	free := -1
	for i, p := range t.seats {
		switch {
		case p == nil && free < 0:
			free = i
		case p != nil && p.ID == id:
			return -1, ErrSeated
		}
	}
	if free < 0 {
		return -1, ErrFull
	}
	return free, nil
}

// profile returns the player's profile, from memory if possible.
func (t *Table) profile(ctx context.Context, id string) (Profile, error) {
	if p, ok := t.profiles[id]; ok {
		return p, nil
	}
	p, err := t.fetch(ctx, id)
	if err != nil {
		return Profile{}, err
	}
	t.profiles[id] = p
	return p, nil
}

// fetch asks the account service, without keeping the table busy meanwhile.
func (t *Table) fetch(ctx context.Context, id string) (Profile, error) {
	t.mu.Unlock()
	defer t.mu.Lock()
	return t.accounts.Load(ctx, id)
}

// Stand frees the player's seat.
func (t *Table) Stand(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.started {
		return false
	}
	for i, p := range t.seats {
		if p != nil && p.ID == id {
			t.seats[i] = nil
			return true
		}
	}
	return false
}

// Start begins the match and returns the line-up.
func (t *Table) Start() ([]Profile, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.started {
		return nil, ErrStarted
	}
	t.started = true
	var lineup []Profile
	for _, p := range t.seats {
		if p != nil {
			lineup = append(lineup, *p)
		}
	}
	return lineup, nil
}
