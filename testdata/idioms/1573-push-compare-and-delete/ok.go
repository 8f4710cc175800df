package a

import (
	"context"
	"sync"
	"sync/atomic"
)

type Note struct {
	Topic string
	Text  string
}

type Stream interface {
	Send(Note) error
}

type subscriber struct {
	user string
	box  chan Note
	stop context.CancelFunc
}

// Hub has at most one live stream per user; a new one replaces the old.
type Hub struct {
	subs    sync.Map // user -> *subscriber
	online  atomic.Int64
	dropped atomic.Int64
}

func (h *Hub) enter(s *subscriber) {
	prev, replaced := h.subs.Swap(s.user, s)
	if replaced {
		prev.(*subscriber).stop()
		return
	}
	h.online.Add(1)
}

func (h *Hub) leave(s *subscriber) {
	if h.subs.CompareAndDelete(s.user, s) {
		h.online.Add(-1)
	}
}

// Serve pumps notes to the user until the stream breaks or is replaced.
func (h *Hub) Serve(ctx context.Context, user string, st Stream) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &subscriber{user: user, box: make(chan Note, 16), stop: stop}
	h.enter(s)
	defer h.leave(s)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case n := <-s.box:
			if err := st.Send(n); err != nil {
				return err
			}
		}
	}
}

// Kick ends the user's stream.
func (h *Hub) Kick(user string) {
	v, ok := h.subs.Load(user)
	if !ok {
		return
	}
	s := v.(*subscriber)
	s.stop()
	h.leave(s)
}

// Publish is best effort: notes for slow or departing users are dropped.
func (h *Hub) Publish(users []string, n Note) {
	for _, u := range users {
		v, ok := h.subs.Load(u)
		if !ok {
			continue
		}
		select {
		case v.(*subscriber).box <- n:
		default:
			h.dropped.Add(1)
		}
	}
}

func (h *Hub) Online() int64 { return h.online.Load() }
