// Package lobby keeps rooms that vanish with their last player.
package lobby

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
)

var (
	ErrFull = errors.New("lobby: room is full")
	ErrSeat = errors.New("lobby: player is not in the room")
	errGone = errors.New("lobby: room is gone")
)

type room struct {
	name string
	max  int

	mu      sync.Mutex
	gone    bool
	players []string
}

func (r *room) add(player string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.gone:
		return errGone
	case slices.Contains(r.players, player):
		return nil
	case len(r.players) >= r.max:
		return ErrFull
	}
	r.players = append(r.players, player)
	return nil
}

// drop reports whether the room is finished with this player.
func (r *room) drop(player string) (last bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.players, player)
	if i < 0 {
		return false, ErrSeat
	}
	r.players = slices.Delete(r.players, i, i+1)
	r.gone = len(r.players) == 0
	return r.gone, nil
}

type Lobby struct {
	max int

	mu    sync.Mutex
	rooms map[string]*room
}

func New(max int) *Lobby { return &Lobby{max: max, rooms: make(map[string]*room)} }

func (l *Lobby) open(name string) *room {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.rooms[name]
	if !ok {
		r = &room{name: name, max: l.max}
		l.rooms[name] = r
	}
	return r
}

func (l *Lobby) find(name string) *room {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rooms[name]
}

func (l *Lobby) forget(r *room) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rooms[r.name] == r {
		delete(l.rooms, r.name)
	}
}

// Join seats the player in the room, which is opened if need be.
func (l *Lobby) Join(name, player string) error {
	for {
		r := l.open(name)
		err := r.add(player)
		if !errors.Is(err, errGone) {
			return err
		}
		l.forget(r) // its last player has not come to it yet
	}
}

func (l *Lobby) Leave(name, player string) error {
	r := l.find(name)
	if r == nil {
		return ErrSeat
	}
	last, err := r.drop(player)
	if err != nil {
		return fmt.Errorf("leave %s: %w", name, err)
	}
	if last {
		l.forget(r)
	}
	return nil
}

func (l *Lobby) ServeJoin(w http.ResponseWriter, req *http.Request) {
	if err := l.Join(req.PathValue("room"), req.FormValue("player")); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
