// Package arena runs the simulation of one game. Players send commands; the
// spectator pages read the latest frame.
package arena

import (
	"encoding/json"
	"maps"
	"net/http"
	"sync/atomic"
	"time"
)

const tickRate = 50 * time.Millisecond

// Avatar is a player's figure in the arena.
type Avatar struct {
	X, Y  int
	Score int
}

// Frame is the state of the game after a tick. Frames are immutable.
type Frame struct {
	Tick    uint64
	Avatars map[string]Avatar
}

type command struct {
	player string
	join   bool
	leave  bool
	dx, dy int
}

// Game is a running game. Its methods may be called concurrently.
type Game struct {
	width, height int
	commands      chan command
	done          chan struct{}

	frame atomic.Pointer[Frame]
	moves atomic.Int64 // moves since the game began
	peak  atomic.Int64 // most players at a time
}

// Start begins a game that lasts until End is called.
func Start(width, height int) *Game {
	g := &Game{
		width:    width,
		height:   height,
		commands: make(chan command),
		done:     make(chan struct{}),
	}
	g.frame.Store(&Frame{})
	go g.loop()
	return g
}

// Join, Move and Leave report false if the game is over.
func (g *Game) Join(player string) bool { return g.send(command{player: player, join: true}) }

// Move shifts the player's avatar.
func (g *Game) Move(player string, dx, dy int) bool {
	return g.send(command{player: player, dx: dx, dy: dy})
}

// Leave removes the player's avatar.
func (g *Game) Leave(player string) bool { return g.send(command{player: player, leave: true}) }

func (g *Game) send(c command) bool {
	select {
	case g.commands <- c:
		return true
	case <-g.done:
		return false
	}
}

// End stops the game. It must be called once.
func (g *Game) End() { close(g.done) }

func (g *Game) loop() {
	t := time.NewTicker(tickRate)
	defer t.Stop()
	var batch []command
	for {
		select {
		case <-g.done:
			return
		case c := <-g.commands:
			batch = append(batch, c)
		case <-t.C:
			g.step(batch)
			batch = batch[:0]
		}
	}
}

// step makes the next frame out of the last one.
func (g *Game) step(batch []command) {
	last := g.frame.Load()
	next := &Frame{Tick: last.Tick + 1, Avatars: maps.Clone(last.Avatars)}
	if next.Avatars == nil {
		next.Avatars = make(map[string]Avatar)
	}
	for _, c := range batch {
		a, ok := next.Avatars[c.player]
		switch {
		case c.leave:
			delete(next.Avatars, c.player)
		case c.join && !ok:
			next.Avatars[c.player] = Avatar{X: g.width / 2, Y: g.height / 2}
		case ok && !c.join:
			a.X = min(max(a.X+c.dx, 0), g.width-1)
			a.Y = min(max(a.Y+c.dy, 0), g.height-1)
			a.Score++
			next.Avatars[c.player] = a
			g.moves.Store(g.moves.Load() + 1)
		}
	}
	if n := int64(len(next.Avatars)); n > g.peak.Load() {
		g.peak.Store(n)
	}
	g.frame.Store(next)
}

// ServeHTTP writes the latest frame.
func (g *Game) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(g.frame.Load())
}

// Stats returns figures for monitoring.
func (g *Game) Stats() (moves, peak int64) { return g.moves.Load(), g.peak.Load() }
