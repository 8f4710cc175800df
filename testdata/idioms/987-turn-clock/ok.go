// Package duel runs games of two players with a limited time per turn.
package duel

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// Errors returned by Play.
var (
	ErrOver    = errors.New("duel: game is over")
	ErrNotTurn = errors.New("duel: not your turn")
	ErrIllegal = errors.New("duel: illegal move")
)

// Rules are those of the game that is played.
type Rules interface {
	// Apply plays a move and reports whether it wins the game.
	Apply(player int, move string) (wins bool, err error)
}

// Event is an entry of the game's record.
type Event struct {
	Player int
	Kind   string // "move", "skip", "win", "resign"
	Move   string
}

// Match is safe for concurrent use.
type Match struct {
	rules Rules
	limit time.Duration

	mu     sync.Mutex
	turn   int // number of the turn; its parity is the player
	skips  int // turns missed in a row
	clock  *time.Timer
	over   bool
	record []Event
}

// NewMatch starts a match; the clock of player 0 is running.
func NewMatch(rules Rules, limit time.Duration) *Match {
	m := &Match{rules: rules, limit: limit}
	m.mu.Lock()
	m.startClock()
	m.mu.Unlock()
	return m
}

// startClock runs the clock for the present turn. m.mu is held.
func (m *Match) startClock() {
	turn := m.turn
	m.clock = time.AfterFunc(m.limit, func() { m.timeUp(turn) })
}

// advance goes on to the next turn. m.mu is held.
func (m *Match) advance(e Event) {
	m.clock.Stop()
	m.record = append(m.record, e)
	m.turn++
	m.startClock()
}

// finish ends the match. m.mu is held.
func (m *Match) finish(events ...Event) {
	m.clock.Stop()
	m.record = append(m.record, events...)
	m.over = true
}

// timeUp skips a turn, unless it has been played after all.
func (m *Match) timeUp(turn int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over || m.turn != turn {
		return
	}
	e := Event{Player: turn % 2, Kind: "skip"}
	if m.skips++; m.skips == 4 {
		m.finish(e)
		return
	}
	m.advance(e)
}

// Play makes a move.
func (m *Match) Play(player int, move string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return ErrOver
	}
	if m.turn%2 != player {
		return ErrNotTurn
	}
	wins, err := m.rules.Apply(player, move)
	if err != nil {
		return errors.Join(ErrIllegal, err)
	}
	m.skips = 0
	e := Event{Player: player, Kind: "move", Move: move}
	if wins {
		m.finish(e, Event{Player: player, Kind: "win"})
		return nil
	}
	m.advance(e)
	return nil
}

// Resign gives the game up.
func (m *Match) Resign(player int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return ErrOver
	}
	m.finish(Event{Player: player, Kind: "resign"}, Event{Player: 1 - player, Kind: "win"})
	return nil
}

// Since returns the record from entry n on, and whether the match is over.
func (m *Match) Since(n int) (events []Event, over bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n < 0 || n > len(m.record) {
		n = len(m.record)
	}
	return slices.Clone(m.record[n:]), m.over
}
