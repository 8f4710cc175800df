package presence

import (
	"sync"
	"time"
)

// Event tells a follower that a user came or went.
type Event struct {
	User   string
	Online bool
}

// Session is one connection of a user. Its fields belong to the hub.
type Session struct {
	user   string
	device string
	grace  *time.Timer // runs after the socket was lost
}

// Hub tracks who is online. A lost socket does not make a user offline at
// once: the client has a grace period to come back.
type Hub struct {
	graceFor time.Duration

	mu        sync.Mutex
	sessions  map[string]*Session
	followers map[string]map[chan Event]struct{}
}

func NewHub(grace time.Duration) *Hub {
	return &Hub{
		graceFor:  grace,
		sessions:  make(map[string]*Session),
		followers: make(map[string]map[chan Event]struct{}),
	}
}

// Connect is called by the websocket handler after login. A newer connection
// replaces the older one.
func (h *Hub) Connect(user, device string) *Session {
	s := &Session{user: user, device: device}
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.sessions[user]
	h.sessions[user] = s
	if old == nil {
		h.announceLocked(user, true)
	} else if old.grace != nil {
		old.grace.Stop()
	}
	return s
}

// Lost is called when the socket of s broke.
func (h *Hub) Lost(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sessions[s.user] != s || s.grace != nil {
		return
	}
	s.grace = time.AfterFunc(h.graceFor, func() { h.expire(s) })
}

func (h *Hub) expire(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, s.user)
	h.announceLocked(s.user, false)
}

// Online reports whether messages go to the socket or to push.
func (h *Hub) Online(user string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[user] != nil
}

// Device tells which device the user is on.
func (h *Hub) Device(user string) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[user]
	if s == nil {
		return "", false
	}
	return s.device, true
}

// Follow delivers the user's present state and all later changes to ch, which
// must be buffered.
func (h *Hub) Follow(user string, ch chan Event) (stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	set := h.followers[user]
	if set == nil {
		set = make(map[chan Event]struct{})
		h.followers[user] = set
	}
	set[ch] = struct{}{}
	send(ch, Event{User: user, Online: h.sessions[user] != nil})
	return func() { h.unfollow(user, ch) }
}

func (h *Hub) unfollow(user string, ch chan Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.followers[user], ch)
	if len(h.followers[user]) == 0 {
		delete(h.followers, user)
	}
}

func (h *Hub) announceLocked(user string, online bool) {
	for ch := range h.followers[user] {
		send(ch, Event{User: user, Online: online})
	}
}

// send never blocks the hub: a follower that does not read loses events.
func send(ch chan Event, ev Event) {
	select {
	case ch <- ev:
	default:
	}
}
