package a

import (
	"errors"
	"sort"
	"sync"
)

// ErrNameTaken is returned by Join when the nickname is in use in the room.
var ErrNameTaken = errors.New("chat: name taken")

// Room is a set of members that see each other's messages.
type Room struct {
	mu      sync.Mutex
	name    string
	members map[string]chan<- string
}

func newRoom(name string) *Room {
	return &Room{name: name, members: make(map[string]chan<- string)}
}

func (r *Room) add(nick string, out chan<- string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.members[nick]; ok {
		return ErrNameTaken
	}
	r.members[nick] = out
	return nil
}

func (r *Room) remove(nick string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, nick)
}

// broadcast delivers msg to all members; slow members miss messages.
func (r *Room) broadcast(msg string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	sent := 0
	for _, out := range r.members {
		select {
		case out <- msg:
			sent++
		default:
		}
	}
	return sent
}

// Hub keeps the rooms of the server. Rooms live as long as the server does.
type Hub struct {
	mu    sync.RWMutex
	rooms map[string]*Room
}

// NewHub returns an empty hub.
func NewHub() *Hub {
	return &Hub{rooms: make(map[string]*Room)}
}

// room returns the room called name, which it creates on first use.
func (h *Hub) room(name string) *Room {
	h.mu.RLock()
	r, ok := h.rooms[name]
	h.mu.RUnlock()
	if ok {
		return r
	}

	h.mu.Lock()
	defer h.mu.Unlock()
	if r, ok := h.rooms[name]; ok {
		return r
	}
	r = newRoom(name)
	h.rooms[name] = r
	return r
}

// Join adds a member to a room. It is called from the connection handlers.
func (h *Hub) Join(room, nick string, out chan<- string) error {
	if nick == "" {
		return errors.New("chat: empty nickname")
	}
	return h.room(room).add(nick, out)
}

// Leave removes a member from a room.
func (h *Hub) Leave(room, nick string) {
	h.mu.RLock()
	r := h.rooms[room]
	h.mu.RUnlock()
	if r != nil {
		r.remove(nick)
	}
}

// Say posts a message and reports how many members got it.
func (h *Hub) Say(room, nick, text string) int {
	return h.room(room).broadcast(nick + ": " + text)
}

// Rooms lists the room names in order.
func (h *Hub) Rooms() []string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	names := make([]string, 0, len(h.rooms))
	for n := range h.rooms {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
