// Package a keeps the seasonal leaderboard of a multiplayer game.
package a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"
)

// ErrUnranked is returned for a player without a score this season.
var ErrUnranked = errors.New("leaderboard: player is not ranked")

// Row is one line of the board.
type Row struct {
	Player string `json:"player"`
	Score  int64  `json:"score"`
}

// Standing tells a player where it is.
type Standing struct {
	Rank    int `json:"rank"`
	Players int `json:"players"`
	TopPct  int `json:"top_pct"`
}

// Board is sorted by falling score.
type Board struct {
	mu     sync.RWMutex
	season int
	rows   []Row
}

// NewBoard returns an empty board whose seasons last for the given time.
func NewBoard(ctx context.Context, season time.Duration) *Board {
	b := &Board{season: 1}
	go b.seasons(ctx, season)
	return b
}

// Submit records the best score of a player.
func (b *Board) Submit(player string, score int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.index(player)
	if i < 0 {
		b.rows = append(b.rows, Row{Player: player, Score: score})
	} else if b.rows[i].Score < score {
		b.rows[i].Score = score
	} else {
		return
	}
	slices.SortStableFunc(b.rows, func(x, y Row) int {
		return int(max(-1, min(1, y.Score-x.Score)))
	})
}

func (b *Board) index(player string) int {
	return slices.IndexFunc(b.rows, func(r Row) bool { return r.Player == player })
}

// Top returns the first n rows.
func (b *Board) Top(n int) []Row {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.Clone(b.rows[:min(n, len(b.rows))])
}

// Rank returns the place of a player, counted from 1.
func (b *Board) Rank(player string) (int, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	i := b.index(player)
	return i + 1, i >= 0
}

// Players returns the number of ranked players.
func (b *Board) Players() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.rows)
}

// Standing returns a player's place among all the others.
func (b *Board) Standing(player string) (Standing, error) {
	rank, ok := b.Rank(player)
	if !ok {
		return Standing{}, fmt.Errorf("%w: %s", ErrUnranked, player)
	}
	n := b.Players()
	return Standing{Rank: rank, Players: n, TopPct: (100*rank + n - 1) / n}, nil
}

func (b *Board) seasons(ctx context.Context, d time.Duration) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			b.mu.Lock()
			old := b.season
			b.season++
			b.rows = nil
			b.mu.Unlock()
			slog.Info("season closed", "season", old)
		}
	}
}

// ServeHTTP answers GET /standing?player=P.
func (b *Board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	st, err := b.Standing(r.FormValue("player"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(st)
}
