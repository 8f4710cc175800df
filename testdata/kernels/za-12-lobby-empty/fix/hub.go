// Package match brings players together: friends share a code and meet in the
// lobby of that code.
package match

import "sync"

// Hub knows the lobbies. Its methods are called from the connection
// goroutines of the players.
type Hub struct {
	seats int

	mu      sync.Mutex // also held while seats are given and taken away
	lobbies map[string]*Lobby
}

// NewHub returns a hub whose lobbies have the given number of seats.
func NewHub(seats int) *Hub {
	return &Hub{seats: seats, lobbies: make(map[string]*Lobby)}
}

// lobby returns the lobby for code. The first player opens it. The caller
// holds h.mu.
func (h *Hub) lobby(code string) *Lobby {
	l, ok := h.lobbies[code]
	if !ok {
		l = newLobby(code, h.seats)
		h.lobbies[code] = l
	}
	return l
}

// drop forgets the lobby. The caller holds h.mu.
func (h *Hub) drop(l *Lobby) {
	if h.lobbies[l.Code] == l {
		delete(h.lobbies, l.Code)
	}
}

// Join seats p in the lobby for code. Players who join with the same code
// meet in the same lobby.
func (h *Hub) Join(code string, p *Player) (*Lobby, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lobby(code)
	if err := l.admit(p); err != nil {
		return nil, err
	}
	return l, nil
}

// Leave takes p out of the lobby. A lobby without players is closed.
func (h *Hub) Leave(l *Lobby, p *Player) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l.dismiss(p) == 0 {
		h.drop(l)
	}
}

// Open returns the number of open lobbies.
func (h *Hub) Open() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.lobbies)
}
