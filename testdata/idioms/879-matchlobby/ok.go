// Package lobby opens matches of the game server and lets players join them.
package lobby

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrPartyTooBig = errors.New("lobby: party does not fit into one match")
	ErrNoMatch     = errors.New("lobby: no such match")
	ErrFull        = errors.New("lobby: match is full")
	ErrOver        = errors.New("lobby: match is over")
	ErrSeated      = errors.New("lobby: player is in the match")
)

// Player is a human or a bot; bots have negative IDs.
type Player struct {
	ID     int64
	Rating int
}

// Mode describes a kind of match.
type Mode struct {
	Name  string
	Seats int
	Bots  int // seats to fill with bots
}

// Match is one running game. It is safe for concurrent use.
type Match struct {
	id   int64
	mode Mode

	mu      sync.Mutex
	players map[int64]Player
	over    bool
}

func newMatch(id int64, mode Mode) *Match {
	return &Match{id: id, mode: mode, players: make(map[int64]Player, mode.Seats)}
}

// ID returns the number of the match.
func (m *Match) ID() int64 { return m.id }

// Free returns the number of free seats.
func (m *Match) Free() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mode.Seats - len(m.players)
}

// seat gives p a seat.
func (m *Match) seat(p Player) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.players[p.ID] = p
}

// Join gives p a seat if the match has one.
func (m *Match) Join(p Player) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return ErrOver
	}
	if _, ok := m.players[p.ID]; ok {
		return ErrSeated
	}
	if len(m.players) >= m.mode.Seats {
		return ErrFull
	}
	m.players[p.ID] = p
	return nil
}

// Leave frees the seat of a player.
func (m *Match) Leave(id int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.players, id)
}

// end closes the match and returns who was in it.
func (m *Match) end() []Player {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
	out := make([]Player, 0, len(m.players))
	for _, p := range m.players {
		out = append(out, p)
	}
	return out
}

// Lobby holds the running matches. It is safe for concurrent use.
type Lobby struct {
	lastID atomic.Int64

	mu      sync.RWMutex
	matches map[int64]*Match
}

// New returns a lobby without matches.
func New() *Lobby {
	return &Lobby{matches: make(map[int64]*Match)}
}

// Open starts a match for a party and the bots of the mode. The remaining
// seats are for players who join.
func (l *Lobby) Open(mode Mode, party []Player) (*Match, error) {
	m := newMatch(l.lastID.Add(1), mode)
	for _, p := range party {
		if m.Free() == 0 {
			return nil, ErrPartyTooBig
		}
		m.seat(p)
	}
	for n := range mode.Bots {
		if m.Free() == 0 {
			break
		}
		m.seat(Player{ID: -int64(n) - 1, Rating: averageRating(party)})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.matches[m.id] = m
	return m, nil
}

func averageRating(party []Player) int {
	if len(party) == 0 {
		return 1000
	}
	sum := 0
	for _, p := range party {
		sum += p.Rating
	}
	return sum / len(party)
}

func (l *Lobby) match(id int64) (*Match, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	m, ok := l.matches[id]
	if !ok {
		return nil, ErrNoMatch
	}
	return m, nil
}

// Join gives p a seat in a match.
func (l *Lobby) Join(id int64, p Player) error {
	m, err := l.match(id)
	if err != nil {
		return err
	}
	return m.Join(p)
}

// Finish ends a match and returns its players.
func (l *Lobby) Finish(id int64) ([]Player, error) {
	l.mu.Lock()
	m, ok := l.matches[id]
	delete(l.matches, id)
	l.mu.Unlock()
	if !ok {
		return nil, ErrNoMatch
	}
	return m.end(), nil
}
