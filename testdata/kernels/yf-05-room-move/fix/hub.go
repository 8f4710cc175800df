// Package chat is the room server of the chat service. A user is in at most one
// room; connections of all of the user's devices share that room.
package chat

import (
	"errors"
	"sort"
	"sync"
	"time"
)

// ErrNotMember is returned to a user who talks to a room they are not in.
var ErrNotMember = errors.New("chat: not a member of the room")

// ErrNoSuchRoom is returned for a room nobody has ever joined.
var ErrNoSuchRoom = errors.New("chat: no such room")

// Message is one line of chat.
type Message struct {
	Room string
	From string
	Text string
	At   time.Time
}

// User is a logged-in account. Inbox is drained by the user's connections; when
// it is full, messages are dropped.
type User struct {
	Name  string
	Inbox chan Message

	// moving is held while the user changes rooms. It is taken before Hub.mu and
	// Room.mu.
	moving sync.Mutex
	// room is where the user is, nil if nowhere. Guarded by Hub.mu.
	room *Room
}

// NewUser returns a user who is in no room.
func NewUser(name string) *User {
	return &User{Name: name, Inbox: make(chan Message, 64)}
}

// Room fans messages out to its members.
type Room struct {
	Name string

	mu      sync.Mutex
	members map[*User]struct{}
	last    time.Time
}

func (r *Room) add(u *User) {
	r.mu.Lock()
	r.members[u] = struct{}{}
	r.mu.Unlock()
}

func (r *Room) remove(u *User) {
	r.mu.Lock()
	delete(r.members, u)
	r.mu.Unlock()
}

// say delivers a member's message to everybody in the room.
func (r *Room) say(from *User, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.members[from]; !ok {
		return ErrNotMember
	}
	r.last = time.Now()
	m := Message{Room: r.Name, From: from.Name, Text: text, At: r.last}
	for u := range r.members {
		select {
		case u.Inbox <- m:
		default:
		}
	}
	return nil
}

func (r *Room) names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]string, 0, len(r.members))
	for u := range r.members {
		out = append(out, u.Name)
	}
	sort.Strings(out)
	return out
}

// Hub knows all rooms. Commands of different connections, of the same user too,
// and of moderators are run concurrently.
type Hub struct {
	mu    sync.Mutex
	rooms map[string]*Room
}

// NewHub returns a hub without rooms.
func NewHub() *Hub {
	return &Hub{rooms: make(map[string]*Room)}
}

// open returns the named room and creates it if need be. Rooms are never deleted.
func (h *Hub) open(name string) *Room {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rooms[name]
	if r == nil {
		r = &Room{Name: name, members: make(map[*User]struct{})}
		h.rooms[name] = r
	}
	return r
}

func (h *Hub) lookup(name string) (*Room, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rooms[name]
	if r == nil {
		return nil, ErrNoSuchRoom
	}
	return r, nil
}

// relocate records the user's new room and returns the one they were in.
func (h *Hub) relocate(u *User, to *Room) (from *Room) {
	h.mu.Lock()
	defer h.mu.Unlock()
	from, u.room = u.room, to
	return from
}

// move takes the user from the room they are in to another one, or to none.
func (h *Hub) move(u *User, to *Room) {
	u.moving.Lock()
	defer u.moving.Unlock()
	from := h.relocate(u, to)
	if from == to {
		return
	}
	if from != nil {
		from.remove(u)
	}
	if to != nil {
		to.add(u)
	}
}

// Join moves the user into the named room.
func (h *Hub) Join(u *User, room string) {
	h.move(u, h.open(room))
}

// Leave takes the user out of their room. Moderators use it to remove a user.
func (h *Hub) Leave(u *User) {
	h.move(u, nil)
}

// Where returns the name of the user's room, or "".
func (h *Hub) Where(u *User) string {
	u.moving.Lock()
	defer u.moving.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	if u.room == nil {
		return ""
	}
	return u.room.Name
}

// Say sends a line to a room the user is in.
func (h *Hub) Say(u *User, room, text string) error {
	r, err := h.lookup(room)
	if err != nil {
		return err
	}
	return r.say(u, text)
}

// Members lists the users in a room.
func (h *Hub) Members(room string) ([]string, error) {
	r, err := h.lookup(room)
	if err != nil {
		return nil, err
	}
	return r.names(), nil
}
