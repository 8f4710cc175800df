// Package a keeps the rooms of a quiz game.
package a

import (
	"errors"
	"maps"
	"sync"
)

var (
	ErrNotFound = errors.New("rooms: no such room")
	ErrFull     = errors.New("rooms: room is full")
	ErrStranger = errors.New("rooms: player is not in the room")
)

// Table is a small in-memory table. Its values are treated as immutable: a
// change stores a new value.
type Table[K comparable, V any] struct {
	mu   sync.RWMutex
	rows map[K]V
}

// NewTable returns an empty table.
func NewTable[K comparable, V any]() *Table[K, V] {
	return &Table[K, V]{rows: make(map[K]V)}
}

// Get returns the value of key.
func (t *Table[K, V]) Get(key K) (V, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok := t.rows[key]
	return v, ok
}

// Put stores a value.
func (t *Table[K, V]) Put(key K, v V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows[key] = v
}

// Delete removes key and reports whether it was there.
func (t *Table[K, V]) Delete(key K) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.rows[key]
	delete(t.rows, key)
	return ok
}

// Modify replaces the value of key by what change makes of it; an error of
// change leaves the value alone. change must not use the table.
func (t *Table[K, V]) Modify(key K, change func(V) (V, error)) error {
	v, ok := t.Get(key)
	if !ok {
		return ErrNotFound
	}
	next, err := change(v)
	if err != nil {
		return err
	}
	t.Put(key, next)
	return nil
}

// Room is one game with its players and their points.
type Room struct {
	Title  string
	Seats  int
	Points map[string]int
}

// Lobby is the list of rooms.
type Lobby struct {
	rooms *Table[string, Room]
}

// NewLobby returns a lobby without rooms.
func NewLobby() *Lobby {
	return &Lobby{rooms: NewTable[string, Room]()}
}

// Open makes a room. Codes are random and never used again.
func (l *Lobby) Open(code, title string, seats int) {
	l.rooms.Put(code, Room{Title: title, Seats: seats, Points: map[string]int{}})
}

// Join gives player a seat.
func (l *Lobby) Join(code, player string) error {
	return l.rooms.Modify(code, func(r Room) (Room, error) {
		if _, in := r.Points[player]; in {
			return r, nil
		}
		if len(r.Points) >= r.Seats {
			return r, ErrFull
		}
		r.Points = maps.Clone(r.Points)
		r.Points[player] = 0
		return r, nil
	})
}

// Score gives player points for an answer.
func (l *Lobby) Score(code, player string, points int) error {
	return l.rooms.Modify(code, func(r Room) (Room, error) {
		if _, in := r.Points[player]; !in {
			return r, ErrStranger
		}
		r.Points = maps.Clone(r.Points)
		r.Points[player] += points
		return r, nil
	})
}

// Standings returns a copy of the points in a room.
func (l *Lobby) Standings(code string) (map[string]int, error) {
	r, ok := l.rooms.Get(code)
	if !ok {
		return nil, ErrNotFound
	}
	return maps.Clone(r.Points), nil
}

// Shut ends a game.
func (l *Lobby) Shut(code string) bool {
	return l.rooms.Delete(code)
}
