// Package chat delivers messages to the members of rooms. A room exists for as
// long as it has members.
package chat

import (
	"errors"
	"sync"
)

// ErrRoomClosed is returned by Post for a room that everybody has left.
var ErrRoomClosed = errors.New("chat: room is closed")

// Message is one line of chat.
type Message struct {
	From, Text string
}

// Client is one connection. Out is drained by the connection's writer.
type Client struct {
	Name string
	Out  chan Message
}

// Hub is the directory of rooms. It is safe for concurrent use.
type Hub struct {
	mu    sync.RWMutex
	rooms map[string]*Room
}

// NewHub returns a hub without rooms.
func NewHub() *Hub {
	return &Hub{rooms: make(map[string]*Room)}
}

// Room fans out messages to its members.
type Room struct {
	hub   *Hub
	name  string
	inbox chan Message
	quit  chan struct{}

	mu      sync.Mutex
	members map[*Client]struct{}
	closed  bool // the last member has left
}

// Join adds a client to the room of that name and returns the room.
func (h *Hub) Join(name string, c *Client) *Room {
	for {
		r := h.room(name)
		if r.add(c) {
			return r
		}
		h.drop(r)
	}
}

// room returns the room of that name, opening it if necessary.
func (h *Hub) room(name string) *Room {
	h.mu.RLock()
	r := h.rooms[name]
	h.mu.RUnlock()
	if r != nil {
		return r
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.rooms[name]; r != nil {
		return r
	}
	r = &Room{
		hub:     h,
		name:    name,
		inbox:   make(chan Message, 64),
		quit:    make(chan struct{}),
		members: make(map[*Client]struct{}),
	}
	h.rooms[name] = r
	go r.pump()
	return r
}

// drop closes a room and removes it from the directory.
func (h *Hub) drop(r *Room) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rooms[r.name] != r {
		return
	}
	delete(h.rooms, r.name)
	close(r.quit)
}

// Rooms returns the number of open rooms.
func (h *Hub) Rooms() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.rooms)
}

// add reports false if the room is closed.
func (r *Room) add(c *Client) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.members[c] = struct{}{}
	return true
}

// remove takes out a member and reports whether it was the last one, in which
// case the room is closed.
func (r *Room) remove(c *Client) (last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.members[c]; !ok {
		return false
	}
	delete(r.members, c)
	r.closed = len(r.members) == 0
	return r.closed
}

// Leave removes a client from the room. The last one turns off the light.
func (r *Room) Leave(c *Client) {
	if r.remove(c) {
		r.hub.drop(r)
	}
}

// Post sends a message to all members.
func (r *Room) Post(m Message) error {
	select {
	case <-r.quit:
		return ErrRoomClosed
	case r.inbox <- m:
		return nil
	}
}

func (r *Room) pump() {
	for {
		select {
		case <-r.quit:
			return
		case m := <-r.inbox:
			r.deliver(m)
		}
	}
}

// deliver skips clients that do not keep up.
func (r *Room) deliver(m Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.members {
		select {
		case c.Out <- m:
		default:
		}
	}
}
