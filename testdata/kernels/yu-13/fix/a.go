package a

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"sync"
	"sync/atomic"
)

var (
	ErrUnknownPlayer = errors.New("lobby: unknown player")
	ErrAlreadyReady  = errors.New("lobby: already ready")
	ErrStarted       = errors.New("lobby: match has started")
	ErrLobbyFull     = errors.New("lobby: full")
)

// Fleet rents game servers.
type Fleet interface {
	Allocate(lobby string) (addr string, err error)
}

type player struct {
	name  string
	ready bool
}

// Lobby waits until all its seats are taken by players that are ready.
type Lobby struct {
	sync.Mutex
	id      string
	seats   int32
	players map[string]*player
	server  string
	started bool

	ready atomic.Int32
	fleet Fleet
}

func NewLobby(id string, seats int, fleet Fleet) *Lobby {
	return &Lobby{id: id, seats: int32(seats), fleet: fleet, players: make(map[string]*player)}
}

func (l *Lobby) Join(name string) error {
	l.Lock()
	defer l.Unlock()
	if l.started {
		return ErrStarted
	}
	if _, ok := l.players[name]; ok {
		return nil
	}
	if len(l.players) >= int(l.seats) {
		return ErrLobbyFull
	}
	l.players[name] = &player{name: name}
	return nil
}

func (l *Lobby) mark(name string) error {
	l.Lock()
	defer l.Unlock()
	p, ok := l.players[name]
	switch {
	case !ok:
		return ErrUnknownPlayer
	case l.started:
		return ErrStarted
	case p.ready:
		return ErrAlreadyReady
	}
	p.ready = true
	return nil
}

// Ready confirms the ready check, the last player starts the match.
func (l *Lobby) Ready(name string) error {
	if err := l.mark(name); err != nil {
		return err
	}
	n := l.ready.Add(1)
	log.Printf("lobby %s: %s is ready", l.id, name)
	if n == l.seats {
		return l.start()
	}
	return nil
}

func (l *Lobby) start() error {
	addr, err := l.fleet.Allocate(l.id)
	if err != nil {
		return fmt.Errorf("lobby %s: %w", l.id, err)
	}
	l.Lock()
	defer l.Unlock()
	l.server = addr
	l.started = true
	return nil
}

// Server returns the address of the game server once the match has started.
func (l *Lobby) Server() (string, bool) {
	l.Lock()
	defer l.Unlock()
	return l.server, l.started
}

func (l *Lobby) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var err error
	name := r.FormValue("player")
	switch r.URL.Path {
	case "/join":
		err = l.Join(name)
	case "/ready":
		err = l.Ready(name)
	case "/server":
		addr, ok := l.Server()
		if !ok {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		fmt.Fprintln(w, addr)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}
