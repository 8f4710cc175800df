package a

import (
	"context"
	"sync"
	"time"
)

// Link is one live connection of a user.
type Link struct {
	user   string
	cancel context.CancelFunc
	since  time.Time
}

// Hub knows the current connection of every user; a new one pushes out the
// one before.
type Hub struct {
	mu    sync.Mutex
	links map[string]*Link
}

func NewHub() *Hub {
	return &Hub{links: make(map[string]*Link)}
}

func (h *Hub) attach(l *Link) {
	h.mu.Lock()
	old := h.links[l.user]
	h.links[l.user] = l
	h.mu.Unlock()
	if old != nil {
		old.cancel()
	}
}

func (h *Hub) detach(l *Link) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.links[l.user] == l {
		delete(h.links, l.user)
	}
}

// Serve runs the session of a user until it ends or is pushed out.
func (h *Hub) Serve(ctx context.Context, user string, session func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &Link{user: user, cancel: cancel, since: time.Now()}
	h.attach(l)
	defer h.detach(l)
	return session(ctx)
}

func (h *Hub) lookup(user string) *Link {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.links[user]
}

// Kick ends the session which the user has at the moment of the call.
func (h *Hub) Kick(user string) bool {
	l := h.lookup(user)
	if l == nil {
		return false
	}
	l.cancel()
	h.detach(l)
	return true
}

// Since tells when the current session of the user began.
func (h *Hub) Since(user string) (time.Time, bool) {
	if l := h.lookup(user); l != nil {
		return l.since, true
	}
	return time.Time{}, false
}
