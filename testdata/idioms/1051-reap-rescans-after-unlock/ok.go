// Package arena runs a match until its last player is gone.
package arena

import (
	"errors"
	"sync"
	"time"
)

// ErrOver is returned when the match has ended.
var ErrOver = errors.New("arena: match is over")

// Ladder stores points; it adds to what a player has.
type Ladder interface {
	Add(player string, points int)
}

type player struct {
	points   int
	lastSeen time.Time
}

// Arena is one match.
type Arena struct {
	ladder Ladder
	idle   time.Duration
	done   chan struct{}

	mu      sync.Mutex
	players map[string]*player
	saving  int // players taken out whose points are not stored yet
	joined  bool
	over    bool
}

// New returns an arena whose players are dropped after being idle.
func New(l Ladder, idle time.Duration) *Arena {
	return &Arena{ladder: l, idle: idle, done: make(chan struct{}), players: make(map[string]*player)}
}

// Join adds a player.
func (a *Arena) Join(id string, now time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return ErrOver
	}
	if a.players[id] == nil {
		a.players[id] = &player{}
		a.joined = true
	}
	a.players[id].lastSeen = now
	return nil
}

// Score gives points to a player who is still in the match.
func (a *Arena) Score(id string, points int, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.players[id]
	if p == nil {
		return false
	}
	p.points += points
	p.lastSeen = now
	return true
}

// Reap drops idle players, stores their points, and ends the match when
// nobody is left. It may be called from several goroutines.
func (a *Arena) Reap(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		id, p := a.nextIdle(now)
		if p == nil {
			break
		}
		delete(a.players, id)
		a.store(id, p.points)
	}
	if a.joined && len(a.players) == 0 && a.saving == 0 && !a.over {
		a.over = true
		close(a.done)
	}
}

func (a *Arena) nextIdle(now time.Time) (string, *player) {
	for id, p := range a.players {
		if now.Sub(p.lastSeen) > a.idle {
			return id, p
		}
	}
	return "", nil
}

// store is called with mu held and gives it up during the call to the ladder.
func (a *Arena) store(id string, points int) {
	a.saving++
	a.mu.Unlock()
	a.ladder.Add(id, points)
	a.mu.Lock()
	a.saving--
}

// Done is closed when the match is over and all points are stored.
func (a *Arena) Done() <-chan struct{} { return a.done }
