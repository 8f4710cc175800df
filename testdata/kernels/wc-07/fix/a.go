// Package a keeps the running games of a correspondence chess club.
package a

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrNoGame is returned when a game is not being played.
var ErrNoGame = errors.New("no such game")

// Archive stores the moves of games that are over.
type Archive interface {
	Put(id string, moves []string) error
}

type game struct {
	mu    sync.Mutex
	moves []string
	last  time.Time
}

func (g *game) play(move string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.moves = append(g.moves, move)
	g.last = time.Now()
	return len(g.moves)
}

func (g *game) idleSince(cutoff time.Time) ([]string, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.moves...), g.last.Before(cutoff)
}

// Club is the set of games in progress.
type Club struct {
	archive Archive

	mu    sync.RWMutex
	games map[string]*game
}

// NewClub returns a club without games.
func NewClub(a Archive) *Club {
	return &Club{archive: a, games: make(map[string]*game)}
}

// Start opens a game.
func (c *Club) Start(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.games[id]; ok {
		return fmt.Errorf("game %s is in progress", id)
	}
	c.games[id] = &game{last: time.Now()}
	return nil
}

// Move records a move and returns its number.
func (c *Club) Move(id, move string) (int, error) {
	if len(move) < 2 {
		return 0, fmt.Errorf("bad move %q", move)
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	g, ok := c.games[id]
	if !ok {
		return 0, ErrNoGame
	}
	return g.play(move), nil
}

// Adjourn archives the games in which nobody has moved since cutoff and
// takes them off the list.
func (c *Club) Adjourn(cutoff time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for id, g := range c.games {
		moves, idle := g.idleSince(cutoff)
		if !idle {
			continue
		}
		if err := c.archive.Put(id, moves); err != nil {
			errs = append(errs, fmt.Errorf("game %s: %w", id, err))
			continue
		}
		delete(c.games, id)
	}
	return errors.Join(errs...)
}

// InProgress counts the games.
func (c *Club) InProgress() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.games)
}
