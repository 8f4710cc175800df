// Package a streams the moves of a chess server to spectators.
package a

import (
	"errors"
	"sync"
)

// ErrOver is returned when the game has ended.
var ErrOver = errors.New("game: over")

// Move is one half-move.
type Move struct {
	Ply int
	SAN string
}

// Game sends its moves to spectators. The feed of a spectator is closed by
// whoever takes it out of the map, and written only while it is in there.
type Game struct {
	mu    sync.Mutex
	over  bool
	moves []Move
	next  int
	feeds map[int]chan Move
}

// NewGame returns a game before its first move.
func NewGame() *Game {
	return &Game{feeds: make(map[int]chan Move)}
}

// Watch returns the moves so far and a feed of those to come. The feed is
// closed after cancel, at the end of the game, or when it is not read.
func (g *Game) Watch() (past []Move, feed <-chan Move, cancel func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	past = append([]Move(nil), g.moves...)
	if g.over {
		return past, nil, nil, ErrOver
	}
	g.next++
	id := g.next
	ch := make(chan Move, 16)
	g.feeds[id] = ch
	return past, ch, func() { g.unwatch(id) }, nil
}

// unwatch ends a feed, if nothing else has.
func (g *Game) unwatch(id int) {
	g.mu.Lock()
	ch, ok := g.feeds[id]
	delete(g.feeds, id)
	g.mu.Unlock()
	if ok {
		close(ch)
	}
}

// Play makes a move and sends it on. Spectators that do not keep up lose
// their feed and have to watch anew.
func (g *Game) Play(san string) error {
	g.mu.Lock()
	if g.over {
		g.mu.Unlock()
		return ErrOver
	}
	m := Move{Ply: len(g.moves) + 1, SAN: san}
	g.moves = append(g.moves, m)
	var slow []chan Move
	for id, ch := range g.feeds {
		select {
		case ch <- m:
		default:
			delete(g.feeds, id)
			slow = append(slow, ch)
		}
	}
	g.mu.Unlock()
	closeAll(slow)
	return nil
}

// End ends the game and all feeds.
func (g *Game) End() {
	g.mu.Lock()
	g.over = true
	rest := make([]chan Move, 0, len(g.feeds))
	for _, ch := range g.feeds {
		rest = append(rest, ch)
	}
	clear(g.feeds)
	g.mu.Unlock()
	closeAll(rest)
}

func closeAll(feeds []chan Move) {
	for _, ch := range feeds {
		close(ch)
	}
}

// Spectators returns the number of feeds.
func (g *Game) Spectators() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.feeds)
}
