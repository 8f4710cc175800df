// Package chat is the room hub of the support chat. A room comes into being
// with its first member and ends with its last one.
package chat

import (
	"errors"
	"slices"
	"sync"
)

// ErrLeft is returned by Post after Leave.
var ErrLeft = errors.New("chat: not in the room")

// Message is one line of a room.
type Message struct {
	From string
	Text string
}

// Member is the presence of one connection in one room.
type Member struct {
	Name string
	room *room
	out  chan Message
}

// Messages delivers what is posted in the room. It is closed by Leave.
func (m *Member) Messages() <-chan Message { return m.out }

// room is a set of members with its latest messages.
type room struct {
	name string

	mu      sync.Mutex
	members map[*Member]struct{}
	recent  []Message
	dead    bool // the last member has left; nobody enters any more
}

// add lets m in, unless the room is dead. The new member gets the recent
// messages first.
func (r *room) add(m *Member) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead {
		return false
	}
	r.members[m] = struct{}{}
	for _, msg := range r.recent {
		m.offer(msg)
	}
	return true
}

// remove lets m out and tells whether the room has died of it.
func (r *room) remove(m *Member) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.members[m]; !ok {
		return false
	}
	delete(r.members, m)
	close(m.out)
	r.dead = len(r.members) == 0
	return r.dead
}

// post gives a message of m to all members.
func (r *room) post(m *Member, text string, keep int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.members[m]; !ok {
		return ErrLeft
	}
	msg := Message{From: m.Name, Text: text}
	r.recent = append(r.recent, msg)
	if n := len(r.recent) - keep; n > 0 {
		r.recent = slices.Delete(r.recent, 0, n)
	}
	for other := range r.members {
		other.offer(msg)
	}
	return nil
}

func (r *room) names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]string, 0, len(r.members))
	for m := range r.members {
		out = append(out, m.Name)
	}
	slices.Sort(out)
	return out
}

// offer queues a message; a slow member misses it. The room's lock is held.
func (m *Member) offer(msg Message) {
	select {
	case m.out <- msg:
	default:
	}
}

// Hub holds the rooms. It is safe for concurrent use.
type Hub struct {
	keep int

	mu    sync.Mutex
	rooms map[string]*room
}

// NewHub returns a hub whose rooms remember keep messages.
func NewHub(keep int) *Hub {
	return &Hub{keep: keep, rooms: make(map[string]*room)}
}

// Join enters a room under the given name.
func (h *Hub) Join(roomName, name string) *Member {
	m := &Member{Name: name, out: make(chan Message, h.keep+16)}
	for {
		m.room = h.room(roomName)
		if m.room.add(m) {
			return m
		}
		h.discard(m.room)
	}
}

// Post says something in the member's room.
func (h *Hub) Post(m *Member, text string) error {
	return m.room.post(m, text, h.keep)
}

// Leave ends the presence. Leaving twice is allowed.
func (h *Hub) Leave(m *Member) {
	if m.room.remove(m) {
		h.discard(m.room)
	}
}

// Present returns the names of those in the room.
func (h *Hub) Present(roomName string) []string {
	h.mu.Lock()
	r, ok := h.rooms[roomName]
	h.mu.Unlock()
	if !ok {
		return nil
	}
	return r.names()
}

// room returns the room of that name, which is made if there is none.
func (h *Hub) room(name string) *room {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.rooms[name]
	if !ok {
		r = &room{name: name, members: make(map[*Member]struct{})}
		h.rooms[name] = r
	}
	return r
}

// discard takes a dead room off the map, unless another one is in its place.
func (h *Hub) discard(r *room) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rooms[r.name] == r {
		delete(h.rooms, r.name)
	}
}
