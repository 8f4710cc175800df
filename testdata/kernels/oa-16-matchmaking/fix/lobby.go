// Package matchmaking pairs players of similar strength.
package matchmaking

import (
	"errors"
	"slices"
	"time"
)

const (
	bands     = 20
	bandWidth = 150
)

// ErrNotQueued is returned for players who do not wait.
var ErrNotQueued = errors.New("matchmaking: not queued")

// Match is a game to be started.
type Match struct {
	A, B string
	At   time.Time
}

// Lobby is where players wait.
type Lobby struct {
	bands   [bands]band
	started chan Match
	now     func() time.Time
}

// NewLobby returns an empty lobby.
func NewLobby() *Lobby {
	return &Lobby{started: make(chan Match, 128), now: time.Now}
}

func index(rating int) int {
	return min(max(rating/bandWidth, 0), bands-1)
}

// Enqueue makes a player wait.
func (l *Lobby) Enqueue(player string, rating int) *Ticket {
	t := &Ticket{Player: player, Rating: rating, Since: l.now()}
	l.bands[index(rating)].push(t)
	return t
}

// Cancel takes a ticket back; false means that it was matched already.
func (l *Lobby) Cancel(t *Ticket) bool {
	return l.bands[index(t.Rating)].remove(t)
}

// CancelPlayer takes the ticket of a player back by name.
func (l *Lobby) CancelPlayer(player string) error {
	for i := range l.bands {
		t := l.bands[i].find(player)
		if t != nil && l.bands[i].remove(t) {
			return nil
		}
	}
	return ErrNotQueued
}

// spread grows with the time a player waits.
func (l *Lobby) spread(t *Ticket) int {
	return 50 + 10*int(l.now().Sub(t.Since)/time.Second)
}

// take removes two tickets, or none when one of them is gone.
func (l *Lobby) take(i int, a *Ticket, j int, b *Ticket) bool {
	x, y := &l.bands[i], &l.bands[j]
	for _, k := range slices.Compact([]int{min(i, j), max(i, j)}) {
		l.bands[k].Lock()
		defer l.bands[k].Unlock()
	}
	if !slices.Contains(x.waiting, a) || !slices.Contains(y.waiting, b) {
		return false
	}
	gone := func(t *Ticket) bool { return t == a || t == b }
	x.waiting = slices.DeleteFunc(x.waiting, gone)
	y.waiting = slices.DeleteFunc(y.waiting, gone)
	return true
}

// TryMatch looks for a rival of t and reports whether a game was made.
func (l *Lobby) TryMatch(t *Ticket) bool {
	home := index(t.Rating)
	spread := l.spread(t)
	for _, i := range [...]int{home, home - 1, home + 1} {
		if i < 0 || i >= bands {
			continue
		}
		rival := l.bands[i].closest(t, spread)
		if rival == nil {
			continue
		}
		if !l.take(home, t, i, rival) {
			continue
		}
		l.started <- Match{A: t.Player, B: rival.Player, At: l.now()}
		return true
	}
	return false
}

// Sweep tries everybody who waits in a band once and returns the games made.
func (l *Lobby) Sweep(i int) (n int) {
	l.bands[i].Lock()
	ts := append([]*Ticket(nil), l.bands[i].waiting...)
	l.bands[i].Unlock()
	for _, t := range ts {
		if l.TryMatch(t) {
			n++
		}
	}
	return n
}

// Run sweeps all bands until stop is closed.
func (l *Lobby) Run(stop <-chan struct{}, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		for i := range l.bands {
			if l.bands[i].size() > 0 {
				l.Sweep(i)
			}
		}
	}
}

// Started delivers the games.
func (l *Lobby) Started() <-chan Match { return l.started }
