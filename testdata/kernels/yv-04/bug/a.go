package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var (
	ErrNotInLobby = errors.New("lobby: player not in lobby")
	ErrNoLobby    = errors.New("lobby: no such lobby")
)

type Server struct {
	Addr string
}

type Allocator interface {
	Allocate(ctx context.Context, mode string, players int) (*Server, error)
}

type seat struct {
	player string
	ready  atomic.Bool
}

// Lobby is a full group of players waiting for everybody to press "ready".
type Lobby struct {
	ID    string
	mode  string
	seats map[string]*seat
	ready atomic.Int32
	alloc Allocator

	mu     sync.Mutex
	server *Server
	notify []chan<- *Server
}

func newLobby(id, mode string, players []string, alloc Allocator) *Lobby {
	l := &Lobby{ID: id, mode: mode, alloc: alloc, seats: make(map[string]*seat, len(players))}
	for _, p := range players {
		l.seats[p] = &seat{player: p}
	}
	return l
}

// Watch registers ch to be told where the match takes place; ch must be buffered.
func (l *Lobby) Watch(ch chan<- *Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server != nil {
		ch <- l.server
		return
	}
	l.notify = append(l.notify, ch)
}

// Ready marks a player as ready; the last one to do so launches the match.
func (l *Lobby) Ready(ctx context.Context, player string) error {
	st, ok := l.seats[player]
	if !ok {
		return ErrNotInLobby
	}
	if !st.ready.CompareAndSwap(false, true) {
		return nil
	}
	l.ready.Add(1)
	if int(l.ready.Load()) == len(l.seats) {
		return l.launch(ctx)
	}
	return nil
}

func (l *Lobby) launch(ctx context.Context) error {
	srv, err := l.alloc.Allocate(context.WithoutCancel(ctx), l.mode, len(l.seats))
	if err != nil {
		return fmt.Errorf("lobby %s: allocate: %w", l.ID, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.server = srv
	for _, ch := range l.notify {
		ch <- srv
	}
	l.notify = nil
	return nil
}

type Matchmaker struct {
	lobbies sync.Map // string -> *Lobby
	alloc   Allocator
	seq     atomic.Uint64
}

func NewMatchmaker(alloc Allocator) *Matchmaker { return &Matchmaker{alloc: alloc} }

func (m *Matchmaker) Form(mode string, players []string) *Lobby {
	id := fmt.Sprintf("%s-%d", mode, m.seq.Add(1))
	l := newLobby(id, mode, players, m.alloc)
	m.lobbies.Store(id, l)
	return l
}

// OnReady is called from the websocket reader of each player.
func (m *Matchmaker) OnReady(ctx context.Context, lobby, player string) error {
	v, ok := m.lobbies.Load(lobby)
	if !ok {
		return ErrNoLobby
	}
	return v.(*Lobby).Ready(ctx, player)
}
