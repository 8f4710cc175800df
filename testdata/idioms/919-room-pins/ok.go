// Package chat keeps the recent lines of the rooms of a help desk's chat in
// memory. Rooms come into being with the first line and are forgotten when
// nobody has written for a while.
package chat

import (
	"sync"
	"time"
)

// Line is one line of a conversation.
type Line struct {
	At   time.Time
	From string
	Text string
}

// room holds the lines of a conversation.
type room struct {
	pins int // those who use the room; guarded by the Hall's lock

	mu    sync.Mutex
	lines []Line
	last  time.Time // of the latest line
}

// say adds a line and keeps at most limit.
func (r *room) say(l Line, limit int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, l)
	if over := len(r.lines) - limit; over > 0 {
		r.lines = append([]Line(nil), r.lines[over:]...)
	}
	if l.At.After(r.last) {
		r.last = l.At
	}
	return len(r.lines)
}

// tail copies the last n lines.
func (r *room) tail(n int) []Line {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = min(n, len(r.lines))
	return append([]Line(nil), r.lines[len(r.lines)-n:]...)
}

// quietSince tells whether the latest line is older than t.
func (r *room) quietSince(t time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last.Before(t)
}

// Hall holds the rooms. It is safe for concurrent use.
//
// The Hall's lock may be held while a room's is taken, never the other way
// round.
type Hall struct {
	limit int

	mu    sync.Mutex
	rooms map[string]*room
}

// NewHall returns a hall whose rooms remember limit lines.
func NewHall(limit int) *Hall {
	return &Hall{limit: max(limit, 1), rooms: make(map[string]*room)}
}

// enter returns the room of a name, which stays in the hall until leave. If
// there is none, it makes one or returns nil, as wanted.
func (h *Hall) enter(name string, create bool) *room {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rooms[name]
	if r == nil {
		if !create {
			return nil
		}
		r = &room{}
		h.rooms[name] = r
	}
	r.pins++
	return r
}

// leave ends the use of a room.
func (h *Hall) leave(r *room) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.pins--
}

// Say adds a line to a room and returns how many it holds now.
func (h *Hall) Say(name string, l Line) int {
	r := h.enter(name, true)
	defer h.leave(r)
	return r.say(l, h.limit)
}

// Tail returns the last lines of a room, n at most.
func (h *Hall) Tail(name string, n int) []Line {
	r := h.enter(name, false)
	if r == nil {
		return nil
	}
	defer h.leave(r)
	return r.tail(max(n, 0))
}

// Forget drops the rooms in which nobody has written since t and that are not
// in use, and returns how many.
func (h *Hall) Forget(t time.Time) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for name, r := range h.rooms {
		if r.pins == 0 && r.quietSince(t) {
			delete(h.rooms, name)
			n++
		}
	}
	return n
}

// Sweep forgets quiet rooms once every interval until stop is closed.
func (h *Hall) Sweep(every, quiet time.Duration, stop <-chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-tick.C:
			h.Forget(now.Add(-quiet))
		}
	}
}

// Rooms returns the number of rooms.
func (h *Hall) Rooms() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.rooms)
}
