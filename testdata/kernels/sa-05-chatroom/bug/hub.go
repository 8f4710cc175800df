// Package chatroom fans messages out to the members of chat rooms. Rooms come
// into being with their first member and vanish with their last.
package chatroom

import (
	"sync"
	"sync/atomic"
)

// Message is a line of chat.
type Message struct {
	Room string
	From string
	Text string
}

// Client is one connected user.
type Client struct {
	Name    string
	out     chan Message
	dropped atomic.Int64
}

// NewClient returns a client with an outbox of the given size.
func NewClient(name string, outbox int) *Client {
	return &Client{Name: name, out: make(chan Message, outbox)}
}

// Messages is the stream of messages for the client.
func (c *Client) Messages() <-chan Message { return c.out }

// Dropped counts the messages that found the outbox full.
func (c *Client) Dropped() int64 { return c.dropped.Load() }

func (c *Client) deliver(m Message) {
	select {
	case c.out <- m:
	default:
		c.dropped.Add(1)
	}
}

type room struct {
	mu      sync.RWMutex
	members map[*Client]struct{}
}

func newRoom() *room {
	return &room{members: make(map[*Client]struct{})}
}

func (r *room) add(c *Client) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[c] = struct{}{}
}

// remove takes c out and returns how many members are left.
func (r *room) remove(c *Client) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, c)
	return len(r.members)
}

func (r *room) broadcast(m Message) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for c := range r.members {
		c.deliver(m)
	}
	return len(r.members)
}

// Hub holds all rooms. Its methods are called from the connections' goroutines.
type Hub struct {
	rooms sync.Map // string -> *room
}

// Join makes c a member of the named room.
func (h *Hub) Join(name string, c *Client) {
	v, ok := h.rooms.Load(name)
	if !ok {
		v, _ = h.rooms.LoadOrStore(name, newRoom())
	}
	v.(*room).add(c)
}

// Leave ends the membership of c.
func (h *Hub) Leave(name string, c *Client) {
	v, ok := h.rooms.Load(name)
	if !ok {
		return
	}
	r := v.(*room)
	if r.remove(c) == 0 {
		h.rooms.CompareAndDelete(name, r)
	}
}

// Say sends a message to everyone in its room and returns how many that are.
func (h *Hub) Say(m Message) int {
	v, ok := h.rooms.Load(m.Room)
	if !ok {
		return 0
	}
	return v.(*room).broadcast(m)
}

// Serve relays the lines that c sends to one room until in is closed.
func (h *Hub) Serve(name string, c *Client, in <-chan string) {
	h.Join(name, c)
	defer h.Leave(name, c)
	for text := range in {
		h.Say(Message{Room: name, From: c.Name, Text: text})
	}
}

// Rooms lists the rooms that exist.
func (h *Hub) Rooms() []string {
	var names []string
	h.rooms.Range(func(k, _ any) bool {
		names = append(names, k.(string))
		return true
	})
	return names
}
