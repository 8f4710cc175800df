// Package a runs the lobby of an online puzzle game.
package a

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrNoRoom is returned for a room that is not open.
var ErrNoRoom = errors.New("no such room")

// room is guarded by the lobby's lock.
type room struct {
	puzzle  string
	players map[string]bool
	empty   time.Time
}

// Lobby is the set of open rooms.
type Lobby struct {
	ttl time.Duration

	mu    sync.RWMutex
	rooms map[string]*room
}

// NewLobby returns a lobby that drops rooms which were empty for ttl. Its
// sweeper ends with ctx.
func NewLobby(ctx context.Context, ttl time.Duration) *Lobby {
	l := &Lobby{ttl: ttl, rooms: make(map[string]*room)}
	go func() {
		tick := time.NewTicker(ttl)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				l.Sweep(now)
			}
		}
	}()
	return l
}

// Open opens a room. If it is open already, its time starts anew.
func (l *Lobby) Open(id, puzzle string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, ok := l.rooms[id]; ok {
		r.empty = time.Now()
		return
	}
	l.rooms[id] = &room{puzzle: puzzle, players: make(map[string]bool), empty: time.Now()}
}

// Join brings a player into a room and returns the puzzle.
func (l *Lobby) Join(id, player string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.rooms[id]
	if !ok {
		return "", ErrNoRoom
	}
	r.players[player] = true
	return r.puzzle, nil
}

// Leave takes a player out of a room.
func (l *Lobby) Leave(id, player string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.rooms[id]
	if !ok || !r.players[player] {
		return
	}
	delete(r.players, player)
	if len(r.players) == 0 {
		r.empty = time.Now()
	}
}

func (l *Lobby) expired(r *room, now time.Time) bool {
	return len(r.players) == 0 && now.Sub(r.empty) >= l.ttl
}

// Sweep drops the rooms that have been empty for long. The scan over all
// rooms does not keep players from looking around.
func (l *Lobby) Sweep(now time.Time) int {
	old := make(map[string]*room)
	l.mu.RLock()
	for id, r := range l.rooms {
		if l.expired(r, now) {
			old[id] = r
		}
	}
	l.mu.RUnlock()

	dropped := 0
	for id, r := range old {
		l.mu.Lock()
		if l.rooms[id] == r && l.expired(r, now) {
			delete(l.rooms, id)
			dropped++
		}
		l.mu.Unlock()
	}
	return dropped
}
