// Package board has the scores of a tournament.
package board

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

type entry struct {
	player string
	points int
	best   int
	last   time.Time
}

// Line is one line of the board.
type Line struct {
	Player       string
	Points, Best int
}

// Board is shared by the tables of the tournament.
type Board struct {
	mu      sync.Mutex
	entries []entry
}

// entry finds the entry of a player, and makes one for a new player.
// The pointer is good as long as the caller holds b.mu.
func (b *Board) entry(player string) *entry {
	for i := range b.entries {
		if b.entries[i].player == player {
			return &b.entries[i]
		}
	}
	b.entries = append(b.entries, entry{player: player})
	return &b.entries[len(b.entries)-1]
}

// Score adds the points of one round and returns the sum.
func (b *Board) Score(player string, points int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entry(player)
	e.points += points
	e.best = max(e.best, points)
	e.last = time.Now()
	return e.points
}

// Top returns the first n lines.
func (b *Board) Top(n int) []Line {
	b.mu.Lock()
	lines := make([]Line, 0, len(b.entries))
	for _, e := range b.entries {
		lines = append(lines, Line{e.player, e.points, e.best})
	}
	b.mu.Unlock()
	slices.SortStableFunc(lines, func(x, y Line) int {
		return cmp.Or(cmp.Compare(y.Points, x.Points), cmp.Compare(y.Best, x.Best))
	})
	return lines[:min(n, len(lines))]
}

// Idle returns the players without a round since some time.
func (b *Board) Idle(since time.Time) (players []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.entries {
		if e.last.Before(since) {
			players = append(players, e.player)
		}
	}
	return players
}
