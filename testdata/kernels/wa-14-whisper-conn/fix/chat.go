package chat

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

var ErrOffline = errors.New("chat: user is offline")

// conn serialises the writes to one user.
type conn struct {
	mu sync.Mutex
	w  io.Writer
}

func (c *conn) line(format string, args ...any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := fmt.Fprintf(c.w, format+"\n", args...)
	return err
}

// Hub knows the users who are online.
type Hub struct {
	conns sync.Map // user name -> *conn
}

// Serve lets user take part until wait returns.
func (h *Hub) Serve(user string, w io.Writer, wait func() error) error {
	c := &conn{w: w}
	if _, dup := h.conns.LoadOrStore(user, c); dup {
		return fmt.Errorf("chat: %s is already here", user)
	}
	defer h.conns.CompareAndDelete(user, c)
	return wait()
}

// Online tells whether user can be reached.
func (h *Hub) Online(user string) bool {
	_, ok := h.conns.Load(user)
	return ok
}

// Whisper sends text to one user.
func (h *Hub) Whisper(from, to, text string) error {
	v, ok := h.conns.Load(to)
	if !ok {
		return ErrOffline
	}
	return v.(*conn).line("%s whispers: %s", from, text)
}

// Shout sends text to everybody but its author.
func (h *Hub) Shout(from, text string) (reached int) {
	h.conns.Range(func(user, v any) bool {
		if user != from && v.(*conn).line("%s: %s", from, text) == nil {
			reached++
		}
		return true
	})
	return reached
}
