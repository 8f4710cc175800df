// Package chat is the in-memory message hub of the chat front end.
package chat

import (
	"sync"
	"time"
)

// Message is what members of a room receive.
type Message struct {
	Room string
	From string
	Text string
	At   time.Time
}

// Member is one connected client.
type Member struct {
	Name string
	in   chan Message
}

// NewMember returns a member with room for backlog undelivered messages.
func NewMember(name string, backlog int) *Member {
	return &Member{Name: name, in: make(chan Message, backlog)}
}

// Inbox delivers the messages of all rooms the member is in.
func (m *Member) Inbox() <-chan Message { return m.in }

type room struct {
	name string

	mu      sync.Mutex
	members map[*Member]struct{}
}

func (r *room) add(m *Member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[m] = struct{}{}
}

// remove takes m out and returns how many members are left.
func (r *room) remove(m *Member) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, m)
	return len(r.members)
}

func (r *room) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.members)
}

func (r *room) send(msg Message) (delivered int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for m := range r.members {
		select {
		case m.in <- msg:
			delivered++
		default: // slow client, it resyncs from history
		}
	}
	return delivered
}

// Hub owns the rooms. A room exists as long as somebody is in it.
type Hub struct {
	mu    sync.Mutex
	rooms map[string]*room
}

// NewHub returns a hub without rooms.
func NewHub() *Hub { return &Hub{rooms: make(map[string]*room)} }

func (h *Hub) lookup(name string) *room {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rooms[name]
}

// open returns the room of that name, creating it if need be.
func (h *Hub) open(name string) *room {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rooms[name]
	if r == nil {
		r = &room{name: name, members: make(map[*Member]struct{})}
		h.rooms[name] = r
	}
	return r
}

// drop forgets a room nobody is in any more.
func (h *Hub) drop(r *room) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rooms[r.name] == r {
		delete(h.rooms, r.name)
	}
}

// Join puts m into the named room.
func (h *Hub) Join(name string, m *Member) {
	h.open(name).add(m)
}

// Leave takes m out of the named room.
func (h *Hub) Leave(name string, m *Member) {
	r := h.lookup(name)
	if r == nil {
		return
	}
	if r.remove(m) == 0 {
		h.drop(r)
	}
}

// Say sends text to everybody in the room and returns the number of members
// who got it.
func (h *Hub) Say(name, from, text string) int {
	r := h.lookup(name)
	if r == nil {
		return 0
	}
	return r.send(Message{Room: name, From: from, Text: text, At: time.Now()})
}

// Population returns how many members each room has.
func (h *Hub) Population() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make(map[string]int, len(h.rooms))
	for name, r := range h.rooms {
		out[name] = r.size()
	}
	return out
}
