// Package lobby keeps the waiting rooms of the matchmaking front end.
package lobby

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

var (
	ErrNoRoom    = errors.New("lobby: no such room")
	ErrFull      = errors.New("lobby: room is full")
	ErrNotSeated = errors.New("lobby: player is not in the room")
	ErrStarted   = errors.New("lobby: match already started")
	errChanged   = errors.New("lobby: seats changed while the match was being prepared")
)

type phase int

const (
	phaseOpen phase = iota
	phasePlaying
)

type seat struct {
	player string
	ready  bool
}

// Fleet hands out game servers.
type Fleet interface {
	Allocate(ctx context.Context, room string, players []string) (addr string, err error)
	Release(addr string)
}

type Room struct {
	ID  string
	cap int

	mu     sync.Mutex
	phase  phase
	seats  []seat
	rev    int // bumped with every change of seats
	server string
}

// readiness is what a ready mark did to the room.
type readiness struct {
	canStart bool
	roster   []string
	rev      int
}

func (r *Room) join(player string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase != phaseOpen {
		return ErrStarted
	}
	if len(r.seats) >= r.cap {
		return ErrFull
	}
	r.seats = append(r.seats, seat{player: player})
	r.rev++
	return nil
}

func (r *Room) markReady(player string, ready bool) (readiness, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase != phaseOpen {
		return readiness{}, ErrStarted
	}
	found, all := false, true
	res := readiness{}
	for i := range r.seats {
		if r.seats[i].player == player {
			r.seats[i].ready = ready
			r.rev++
			found = true
		}
		all = all && r.seats[i].ready
		res.roster = append(res.roster, r.seats[i].player)
	}
	if !found {
		return readiness{}, ErrNotSeated
	}
	res.rev = r.rev
	res.canStart = all && len(r.seats) >= 2
	return res, nil
}

// begin moves the room into play; a second caller gets ErrStarted.
func (r *Room) begin(addr string, rev int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase != phaseOpen {
		return ErrStarted
	}
	if r.rev != rev {
		return errChanged
	}
	r.phase = phasePlaying
	r.server = addr
	return nil
}

type Service struct {
	fleet Fleet

	mu    sync.RWMutex
	rooms map[string]*Room
}

func NewService(f Fleet) *Service {
	return &Service{fleet: f, rooms: make(map[string]*Room)}
}

func (s *Service) Open(id string, capacity int) *Room {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.rooms[id]; ok {
		return r
	}
	r := &Room{ID: id, cap: capacity}
	s.rooms[id] = r
	return r
}

func (s *Service) room(id string) (*Room, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if r, ok := s.rooms[id]; ok {
		return r, nil
	}
	return nil, ErrNoRoom
}

func (s *Service) Join(id, player string) error {
	r, err := s.room(id)
	if err != nil {
		return err
	}
	return r.join(player)
}

// SetReady records the mark and starts the match once nobody is missing.
func (s *Service) SetReady(ctx context.Context, id, player string, ready bool) (started bool, err error) {
	r, err := s.room(id)
	if err != nil {
		return false, err
	}
	res, err := r.markReady(player, ready)
	if err != nil || !res.canStart {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	addr, err := s.fleet.Allocate(ctx, id, res.roster)
	if err != nil {
		return false, fmt.Errorf("allocate server for %s: %w", id, err)
	}
	if err := r.begin(addr, res.rev); err != nil {
		s.fleet.Release(addr)
		return false, err
	}
	return true, nil
}

func (s *Service) ServeReady(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	started, err := s.SetReady(req.Context(), q.Get("room"), q.Get("player"), q.Get("ready") != "0")
	switch {
	case errors.Is(err, ErrNoRoom), errors.Is(err, ErrNotSeated):
		http.Error(w, err.Error(), http.StatusNotFound)
	case errors.Is(err, ErrStarted), errors.Is(err, errChanged):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		_ = json.NewEncoder(w).Encode(map[string]bool{"started": started})
	}
}
