package a

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

var ErrRoom = errors.New("chat: no such room")

// Message is a line of a chat.
type Message struct {
	Seq  int64
	From string
	Text string
}

type room struct {
	last atomic.Int64

	mu       sync.RWMutex
	messages []Message
	markers  map[string]*atomic.Int64 // only grows
}

func (r *room) post(from, text string) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := Message{Seq: int64(len(r.messages)) + 1, From: from, Text: text}
	r.messages = append(r.messages, m)
	r.last.Store(m.Seq)
	return m.Seq
}

func (r *room) marker(user string) *atomic.Int64 {
	r.mu.RLock()
	m := r.markers[user]
	r.mu.RUnlock()
	if m != nil {
		return m
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if m = r.markers[user]; m == nil {
		m = new(atomic.Int64)
		r.markers[user] = m
	}
	return m
}

// raise lifts the marker to seq; it never goes back.
func raise(m *atomic.Int64, seq int64) {
	for {
		old := m.Load()
		if old >= seq || m.CompareAndSwap(old, seq) {
			return
		}
	}
}

// Chat is a set of rooms.
type Chat struct {
	rooms map[string]*room
}

// NewChat makes a chat with rooms that stay as they are.
func NewChat(names ...string) *Chat {
	c := &Chat{rooms: make(map[string]*room)}
	for _, n := range names {
		c.rooms[n] = &room{markers: make(map[string]*atomic.Int64)}
	}
	return c
}

func (c *Chat) room(name string) (*room, error) {
	if r, ok := c.rooms[name]; ok {
		return r, nil
	}
	return nil, ErrRoom
}

// Post adds a message; its author has read all up to it.
func (c *Chat) Post(name, from, text string) (int64, error) {
	r, err := c.room(name)
	if err != nil {
		return 0, err
	}
	seq := r.post(from, text)
	raise(r.marker(from), seq)
	return seq, nil
}

// MarkRead notes that the user has seen the messages up to seq. The devices
// of a user report in any order.
func (c *Chat) MarkRead(name, user string, seq int64) error {
	r, err := c.room(name)
	if err != nil {
		return err
	}
	m := r.marker(user)
	if m.Load() >= seq {
		return nil
	}
	if last := r.last.Load(); seq > last {
		seq = last
	}
	raise(m, seq)
	return nil
}

// Unread counts what the user has not seen.
func (c *Chat) Unread(name, user string) (int64, error) {
	r, err := c.room(name)
	if err != nil {
		return 0, err
	}
	seen := r.marker(user).Load()
	return r.last.Load() - seen, nil
}

// ServeHTTP is what the apps call when a message is shown.
func (c *Chat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	seq, _ := strconv.ParseInt(r.FormValue("seq"), 10, 64)
	if err := c.MarkRead(r.PathValue("room"), r.PathValue("user"), seq); err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
	}
}
