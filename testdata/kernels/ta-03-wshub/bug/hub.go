// Package wshub fans chat messages out to websocket clients by room.
package wshub

import "sync"

// Client is one connection; its writer goroutine drains Outbox.
type Client struct {
	ID   string
	send chan []byte
}

// NewClient returns a client with an outbox of the given depth.
func NewClient(id string, depth int) *Client {
	return &Client{ID: id, send: make(chan []byte, depth)}
}

// Outbox is the stream of messages for the connection.
func (c *Client) Outbox() <-chan []byte { return c.send }

type room struct {
	mu      sync.Mutex
	members map[*Client]struct{}
}

func newRoom() *room {
	return &room{members: make(map[*Client]struct{})}
}

func (r *room) add(c *Client) {
	r.mu.Lock()
	r.members[c] = struct{}{}
	r.mu.Unlock()
}

// remove takes c out and returns how many members are left.
func (r *room) remove(c *Client) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, c)
	return len(r.members)
}

func (r *room) broadcast(msg []byte) (dropped int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.members {
		select {
		case c.send <- msg:
		default:
			dropped++
		}
	}
	return dropped
}

// Hub owns the rooms. Rooms exist as long as they have members.
type Hub struct {
	mu    sync.RWMutex
	rooms map[string]*room
}

// NewHub returns a hub without rooms.
func NewHub() *Hub {
	return &Hub{rooms: make(map[string]*room)}
}

// Join puts c into the named room.
func (h *Hub) Join(name string, c *Client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.rooms[name]
	if !ok {
		r = newRoom()
		h.rooms[name] = r
	}
	r.add(c)
}

// Leave takes c out of the named room and drops the room when it was the
// last member.
func (h *Hub) Leave(name string, c *Client) {
	h.mu.RLock()
	r, ok := h.rooms[name]
	h.mu.RUnlock()
	if !ok {
		return
	}
	if r.remove(c) == 0 {
		h.mu.Lock()
		delete(h.rooms, name)
		h.mu.Unlock()
	}
}

// Broadcast queues msg for every member of the room and returns the number
// of members whose outbox was full.
func (h *Hub) Broadcast(name string, msg []byte) int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	r, ok := h.rooms[name]
	if !ok {
		return 0
	}
	return r.broadcast(msg)
}

// Rooms returns the number of live rooms.
func (h *Hub) Rooms() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.rooms)
}
