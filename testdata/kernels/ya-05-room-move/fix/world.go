// Package world keeps track of which player stands in which room of a
// multi-user game.
package world

import (
	"errors"
	"slices"
	"sync"
)

var (
	ErrNoRoom  = errors.New("world: no such room")
	ErrOffline = errors.New("world: player is offline")
	ErrFull    = errors.New("world: room is full")
)

// Player is a connected player.
type Player struct {
	Name string
	out  chan string

	moving sync.Mutex // held while the player changes rooms

	mu   sync.Mutex
	room *Room // nil when offline
}

// Out delivers the lines to show to the player.
func (p *Player) Out() <-chan string { return p.out }

// Room returns the room the player is in, nil if it is offline.
func (p *Player) Room() *Room {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.room
}

func (p *Player) setRoom(r *Room) {
	p.mu.Lock()
	p.room = r
	p.mu.Unlock()
}

// tell shows a line to the player; a player that does not read misses it.
func (p *Player) tell(line string) {
	select {
	case p.out <- line:
	default:
	}
}

// Room is a place in the world.
type Room struct {
	Name  string
	limit int

	mu        sync.Mutex
	occupants []*Player
}

// enter adds p to the room unless the room is full.
func (r *Room) enter(p *Player) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.occupants) >= r.limit {
		return ErrFull
	}
	for _, q := range r.occupants {
		q.tell(p.Name + " arrives.")
	}
	r.occupants = append(r.occupants, p)
	return nil
}

// leave removes p from the room.
func (r *Room) leave(p *Player) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.occupants, p)
	if i < 0 {
		return
	}
	r.occupants = slices.Delete(r.occupants, i, i+1)
	for _, q := range r.occupants {
		q.tell(p.Name + " leaves.")
	}
}

// Who returns the names of the players in the room.
func (r *Room) Who() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := make([]string, len(r.occupants))
	for i, p := range r.occupants {
		names[i] = p.Name
	}
	return names
}

// Announce shows a line to everybody in the room.
func (r *Room) Announce(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.occupants {
		p.tell(line)
	}
}

// World is a fixed set of rooms. Its methods are safe for concurrent use:
// every connection has its goroutine, and game masters may act on any player.
type World struct {
	rooms map[string]*Room
	start *Room
}

// New builds a world; players start in the room named start.
func New(limits map[string]int, start string) (*World, error) {
	w := &World{rooms: make(map[string]*Room)}
	for name, limit := range limits {
		w.rooms[name] = &Room{Name: name, limit: limit}
	}
	w.start = w.rooms[start]
	if w.start == nil {
		return nil, ErrNoRoom
	}
	return w, nil
}

// Connect brings a new player into the world.
func (w *World) Connect(name string) (*Player, error) {
	p := &Player{Name: name, out: make(chan string, 64), room: w.start}
	if err := w.start.enter(p); err != nil {
		return nil, err
	}
	return p, nil
}

// Move takes the player to the room named to. The player stays where it is
// if the room is full. On its way it may be seen in both rooms for a moment.
func (w *World) Move(p *Player, to string) error {
	dest := w.rooms[to]
	if dest == nil {
		return ErrNoRoom
	}
	p.moving.Lock()
	defer p.moving.Unlock()
	from := p.Room()
	if from == nil {
		return ErrOffline
	}
	if from == dest {
		return nil
	}
	if err := dest.enter(p); err != nil {
		return err
	}
	from.leave(p)
	p.setRoom(dest)
	return nil
}

// Disconnect takes the player out of the world.
func (w *World) Disconnect(p *Player) {
	p.moving.Lock()
	defer p.moving.Unlock()
	from := p.Room()
	if from == nil {
		return
	}
	from.leave(p)
	p.setRoom(nil)
}

// Banish is the game master's command: it sends a player back to the start.
func (w *World) Banish(p *Player) error {
	p.tell("You are sent away.")
	return w.Move(p, w.start.Name)
}
