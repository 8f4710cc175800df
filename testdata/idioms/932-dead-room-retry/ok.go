// Package lobby keeps the match rooms of a game server. A room is created by the
// first player who enters and goes away with the last one who leaves.
package lobby

import (
	"errors"
	"sort"
	"sync"
)

// ErrFull is returned when a room has no free place.
var ErrFull = errors.New("lobby: room is full")

// PlayerID names a player.
type PlayerID uint64

// Event is sent to the players in a room.
type Event struct {
	Player PlayerID
	Joined bool
	Count  int // players in the room after the event
}

// Player is a connected player. Events that do not fit are dropped; the client
// asks for the room's state when it sees a gap.
type Player struct {
	ID     PlayerID
	Events chan Event
}

// Room is a match room.
type Room struct {
	Name  string
	limit int

	mu      sync.Mutex
	players map[PlayerID]*Player
	dead    bool // the last player has left; nobody enters any more
}

// tellLocked sends an event to everybody. Caller holds r.mu.
func (r *Room) tellLocked(id PlayerID, joined bool) {
	ev := Event{Player: id, Joined: joined, Count: len(r.players)}
	for _, p := range r.players {
		select {
		case p.Events <- ev:
		default:
		}
	}
}

// enter lets a player in. It returns false if the room is dead.
func (r *Room) enter(p *Player) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead {
		return false, nil
	}
	if _, ok := r.players[p.ID]; !ok && len(r.players) >= r.limit {
		return true, ErrFull
	}
	r.players[p.ID] = p
	r.tellLocked(p.ID, true)
	return true, nil
}

// exit takes a player out, and reports whether the room has died of it.
func (r *Room) exit(p *Player) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.players[p.ID] != p {
		return false
	}
	delete(r.players, p.ID)
	r.tellLocked(p.ID, false)
	r.dead = len(r.players) == 0
	return r.dead
}

// Players lists the players in the room.
func (r *Room) Players() []PlayerID {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]PlayerID, 0, len(r.players))
	for id := range r.players {
		out = append(out, id)
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out
}

// Lobby is safe for concurrent use by the players' connections.
type Lobby struct {
	limit int // players per room, at least 1

	mu    sync.RWMutex
	rooms map[string]*Room
}

// New returns a lobby whose rooms hold up to limit players.
func New(limit int) *Lobby {
	return &Lobby{limit: max(1, limit), rooms: make(map[string]*Room)}
}

// find returns the room of that name, if there is one.
func (l *Lobby) find(name string) *Room {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.rooms[name]
}

// open returns the room of that name, a new one if there is none.
func (l *Lobby) open(name string) *Room {
	if r := l.find(name); r != nil {
		return r
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.rooms[name]
	if r == nil {
		r = &Room{Name: name, limit: l.limit, players: make(map[PlayerID]*Player)}
		l.rooms[name] = r
	}
	return r
}

// bury removes a dead room from the lobby.
func (l *Lobby) bury(r *Room) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rooms[r.Name] == r {
		delete(l.rooms, r.Name)
	}
}

// Join puts a player into the room of that name.
func (l *Lobby) Join(p *Player, name string) (*Room, error) {
	for {
		r := l.open(name)
		alive, err := r.enter(p)
		if err != nil {
			return nil, err
		}
		if alive {
			return r, nil
		}
		l.bury(r)
	}
}

// Leave takes a player out of a room that Join has returned.
func (l *Lobby) Leave(p *Player, r *Room) {
	if r.exit(p) {
		l.bury(r)
	}
}

// Names lists the rooms.
func (l *Lobby) Names() []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	names := make([]string, 0, len(l.rooms))
	for n := range l.rooms {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
