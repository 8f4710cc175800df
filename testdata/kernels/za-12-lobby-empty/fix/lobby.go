package match

import (
	"errors"
	"slices"
	"sync"
)

// ErrFull is returned when a lobby has no seat left.
var ErrFull = errors.New("match: lobby is full")

// Player is a connected client.
type Player struct {
	Name string
	Send chan<- string // buffered; a slow client misses notices
}

// Lobby is where players gather before a match. Safe for concurrent use.
type Lobby struct {
	Code  string
	seats int

	mu      sync.Mutex
	players []*Player
	ready   map[*Player]bool
}

func newLobby(code string, seats int) *Lobby {
	return &Lobby{Code: code, seats: seats, ready: make(map[*Player]bool)}
}

// admit gives p a seat.
func (l *Lobby) admit(p *Player) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.players) >= l.seats {
		return ErrFull
	}
	l.players = append(l.players, p)
	l.tell(p.Name + " joined")
	return nil
}

// dismiss takes the seat of p away and returns how many players stay.
func (l *Lobby) dismiss(p *Player) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.players, p); i >= 0 {
		l.players = slices.Delete(l.players, i, i+1)
		delete(l.ready, p)
		l.tell(p.Name + " left")
	}
	return len(l.players)
}

// tell sends a notice to all players. The caller holds mu.
func (l *Lobby) tell(text string) {
	for _, p := range l.players {
		select {
		case p.Send <- text:
		default:
		}
	}
}

// Ready notes that p wants to begin. When everybody does, all are told.
func (l *Lobby) Ready(p *Player) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ready[p] || !slices.Contains(l.players, p) {
		return
	}
	l.ready[p] = true
	if len(l.ready) == len(l.players) {
		l.tell("everybody is ready")
	}
}

// Names lists who is in the lobby.
func (l *Lobby) Names() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]string, len(l.players))
	for i, p := range l.players {
		out[i] = p.Name
	}
	return out
}
