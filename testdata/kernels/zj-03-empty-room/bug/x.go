// Package wshub keeps the rooms of a websocket chat server.
package wshub

import (
	"sort"
	"sync"
	"sync/atomic"
)

// Client is one websocket connection. The write pump drains Send.
type Client struct {
	ID   string
	Send chan []byte

	dropped atomic.Int64
}

// NewClient returns a client with a send buffer of the given size.
func NewClient(id string, buffer int) *Client {
	return &Client{ID: id, Send: make(chan []byte, buffer)}
}

// Dropped returns how many messages were lost because the client was slow.
func (c *Client) Dropped() int64 { return c.dropped.Load() }

func (c *Client) push(msg []byte) {
	select {
	case c.Send <- msg:
	default:
		c.dropped.Add(1)
	}
}

type room struct {
	mu      sync.Mutex
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

func (r *room) remove(c *Client) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, c)
}

func (r *room) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.members)
}

func (r *room) each(fn func(*Client)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.members {
		fn(c)
	}
}

// Hub finds rooms by name. Rooms come with the first member and go with the
// last one. Lock order: Hub.mu, then room.mu.
type Hub struct {
	mu    sync.RWMutex
	rooms map[string]*room
}

// New returns a hub without rooms.
func New() *Hub {
	return &Hub{rooms: make(map[string]*room)}
}

// Join puts the client into the room.
func (h *Hub) Join(name string, c *Client) {
	h.mu.Lock()
	r, ok := h.rooms[name]
	if !ok {
		r = newRoom()
		h.rooms[name] = r
	}
	h.mu.Unlock()

	r.add(c)
}

// Leave takes the client out of the room.
func (h *Hub) Leave(name string, c *Client) {
	h.mu.RLock()
	r, ok := h.rooms[name]
	h.mu.RUnlock()
	if !ok {
		return
	}

	r.remove(c)
	if r.size() == 0 {
		h.mu.Lock()
		delete(h.rooms, name)
		h.mu.Unlock()
	}
}

// Broadcast queues msg for every member of the room. It never blocks on a
// slow client.
func (h *Hub) Broadcast(name string, msg []byte) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	r, ok := h.rooms[name]
	if !ok {
		return
	}
	r.each(func(c *Client) { c.push(msg) })
}

// Rooms lists the rooms by name.
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
