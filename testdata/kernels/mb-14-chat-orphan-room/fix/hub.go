// Package chat is the room hub of a chat server.
package chat

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrNoRoom is returned when a room has no members.
var ErrNoRoom = errors.New("chat: no such room")

// Message is one line of chat.
type Message struct {
	Room string
	From string
	Text string
	At   time.Time
}

// Member is a connected user.
type Member struct {
	Name string
	out  chan Message
}

// NewMember returns a member with room for n undelivered messages.
func NewMember(name string, n int) *Member {
	return &Member{Name: name, out: make(chan Message, n)}
}

// Next waits for a message.
func (m *Member) Next(ctx context.Context) (Message, error) {
	select {
	case msg := <-m.out:
		return msg, nil
	case <-ctx.Done():
		return Message{}, ctx.Err()
	}
}

// deliver drops the message when the member is too slow.
func (m *Member) deliver(msg Message) bool {
	select {
	case m.out <- msg:
		return true
	default:
		return false
	}
}

// Room is a set of members.
type Room struct {
	name string

	mu      sync.RWMutex
	members map[*Member]time.Time
}

func (r *Room) add(m *Member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[m] = time.Now()
}

func (r *Room) remove(m *Member) (left int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, m)
	return len(r.members)
}

func (r *Room) size() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.members)
}

func (r *Room) broadcast(msg Message) (delivered int) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for m := range r.members {
		if m.deliver(msg) {
			delivered++
		}
	}
	return delivered
}

// Hub owns the rooms.
type Hub struct {
	mu    sync.Mutex
	rooms map[string]*Room
}

// NewHub returns a hub without rooms.
func NewHub() *Hub { return &Hub{rooms: make(map[string]*Room)} }

// room returns the room of that name and opens it if need be. h.mu is held.
func (h *Hub) room(name string) *Room {
	r, ok := h.rooms[name]
	if !ok {
		r = &Room{name: name, members: make(map[*Member]time.Time)}
		h.rooms[name] = r
	}
	return r
}

// Join puts a member into a room.
func (h *Hub) Join(name string, m *Member) {
	h.mu.Lock()
	r := h.room(name)
	r.add(m)
	h.mu.Unlock()
	r.broadcast(Message{Room: name, Text: m.Name + " joined", At: time.Now()})
}

// Leave takes a member out of a room.
func (h *Hub) Leave(name string, m *Member) {
	h.mu.Lock()
	r, ok := h.rooms[name]
	h.mu.Unlock()
	if !ok {
		return
	}
	if r.remove(m) == 0 {
		h.reap(r)
	}
}

// reap closes a room that is empty.
func (h *Hub) reap(r *Room) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rooms[r.name] == r && r.size() == 0 {
		delete(h.rooms, r.name)
	}
}

// Publish sends a line to everybody in a room.
func (h *Hub) Publish(name, from, text string) (int, error) {
	h.mu.Lock()
	r, ok := h.rooms[name]
	h.mu.Unlock()
	if !ok {
		return 0, ErrNoRoom
	}
	return r.broadcast(Message{Room: name, From: from, Text: text, At: time.Now()}), nil
}

// Serve handles one member until its context ends.
func (h *Hub) Serve(ctx context.Context, name string, m *Member, write func(Message) error) error {
	h.Join(name, m)
	defer h.Leave(name, m)
	for {
		msg, err := m.Next(ctx)
		if err != nil {
			return err
		}
		if err := write(msg); err != nil {
			return err
		}
	}
}
