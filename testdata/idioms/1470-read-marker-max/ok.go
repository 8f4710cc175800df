// Package chat tracks how far the members of a channel have read.
package chat

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

// marker is the highest message number a member has read. It only grows.
type marker struct {
	seq atomic.Uint64
}

// raise moves the marker forward and reports whether it moved.
func (m *marker) raise(seq uint64) bool {
	for {
		cur := m.seq.Load()
		if seq <= cur {
			return false
		}
		if m.seq.CompareAndSwap(cur, seq) {
			return true
		}
	}
}

// Channel is used by the sockets of all members.
type Channel struct {
	last atomic.Uint64 // number of the newest message

	mu      sync.RWMutex
	markers map[string]*marker // never removed
}

func NewChannel() *Channel {
	return &Channel{markers: make(map[string]*marker)}
}

// Post numbers a new message.
func (c *Channel) Post() uint64 {
	return c.last.Add(1)
}

func (c *Channel) marker(member string) *marker {
	c.mu.RLock()
	m := c.markers[member]
	c.mu.RUnlock()
	if m != nil {
		return m
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m = c.markers[member]; m == nil {
		m = &marker{}
		c.markers[member] = m
	}
	return m
}

// MarkRead is called when a client has shown the messages up to seq. Clients
// are several per member, and their reports arrive in any order.
func (c *Channel) MarkRead(member string, seq uint64) bool {
	if seq > c.last.Load() {
		return false // not posted yet
	}
	m := c.marker(member)
	if m.seq.Load() >= seq {
		return false
	}
	return m.raise(seq)
}

// Unread returns the number of messages the member has not seen.
func (c *Channel) Unread(member string) uint64 {
	read := c.marker(member).seq.Load()
	return c.last.Load() - read
}

// ServeHTTP handles POST and GET /read/{member}.
func (c *Channel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	member := r.PathValue("member")
	if r.Method == http.MethodPost {
		seq, err := strconv.ParseUint(r.FormValue("seq"), 10, 64)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.MarkRead(member, seq)
	}
	_ = json.NewEncoder(w).Encode(map[string]uint64{"unread": c.Unread(member)})
}
