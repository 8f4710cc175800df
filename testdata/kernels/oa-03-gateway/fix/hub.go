// Package gateway fans frames out to browsers.
package gateway

import "sync"

type members map[*Conn]struct{}

// Hub knows which connections are in which rooms.
type Hub struct {
	mu    sync.RWMutex
	rooms map[string]members
	joins uint64
}

// NewHub returns an empty hub.
func NewHub() *Hub {
	return &Hub{rooms: make(map[string]members)}
}

// Serve runs the write side of c and cleans up after it.
func (h *Hub) Serve(c *Conn, write func(Frame) error) {
	go func() {
		defer h.Shutdown(c)
		_ = c.Pump(write)
	}()
}

// Join puts c into room.
func (h *Hub) Join(c *Conn, room string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !c.alive() {
		return ErrClosed
	}
	ms, ok := h.rooms[room]
	if !ok {
		ms = make(members)
		h.rooms[room] = ms
	}
	ms[c] = struct{}{}
	h.joins++
	return nil
}

// Leave takes c out of room.
func (h *Hub) Leave(c *Conn, room string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(c, room)
}

// remove is called with h.mu held.
func (h *Hub) remove(c *Conn, room string) {
	ms := h.rooms[room]
	delete(ms, c)
	if len(ms) == 0 {
		delete(h.rooms, room)
	}
}

// Shutdown closes c and takes it out of all rooms.
func (h *Hub) Shutdown(c *Conn) {
	if !c.markClosed() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for room := range h.rooms {
		h.remove(c, room)
	}
}

// Broadcast sends body to everybody in room and returns how many got it.
func (h *Hub) Broadcast(room string, body []byte) int {
	h.mu.RLock()
	targets := make([]*Conn, 0, len(h.rooms[room]))
	for c := range h.rooms[room] {
		targets = append(targets, c)
	}
	h.mu.RUnlock()

	sent := 0
	for _, c := range targets {
		switch err := c.send(Frame{Room: room, Body: body}); err {
		case nil:
			sent++
		case ErrSlow:
			h.Shutdown(c)
		}
	}
	return sent
}

// Occupancy returns the size of each room.
func (h *Hub) Occupancy() map[string]int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := make(map[string]int, len(h.rooms))
	for room, ms := range h.rooms {
		out[room] = len(ms)
	}
	return out
}
