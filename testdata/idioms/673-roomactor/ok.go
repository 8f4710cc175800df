// Package room runs chat rooms, one goroutine each.
package room

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrFull   = errors.New("room: full")
	ErrClosed = errors.New("room: closed")
	ErrAbsent = errors.New("room: not a member")
)

// Peer receives what is said in a room; Deliver must not block.
type Peer interface {
	Name() string
	Deliver(from, text string)
}

type command func(*state)

type state struct {
	members map[string]Peer
	topic   string
}

// Room is a handle on a running room.
type Room struct {
	max      int
	commands chan command
	done     chan struct{}
	size     atomic.Int64
	peak     atomic.Int64
}

// Start runs a room until ctx ends.
func Start(ctx context.Context, max int) *Room {
	r := &Room{max: max, commands: make(chan command), done: make(chan struct{})}
	go r.run(ctx)
	return r
}

func (r *Room) run(ctx context.Context) {
	defer close(r.done)
	st := &state{members: make(map[string]Peer)}
	for {
		select {
		case cmd := <-r.commands:
			cmd(st)
			r.publish(len(st.members))
		case <-ctx.Done():
			r.publish(0)
			return
		}
	}
}

func (r *Room) publish(n int) {
	r.size.Store(int64(n))
	if int64(n) > r.peak.Load() {
		r.peak.Store(int64(n))
	}
}

func (r *Room) do(ctx context.Context, fn func(*state) error) error {
	res := make(chan error, 1)
	select {
	case r.commands <- func(st *state) { res <- fn(st) }:
		return <-res
	case <-r.done:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (st *state) has(name string) bool {
	_, ok := st.members[name]
	return ok
}

func (st *state) say(from, text string) {
	for _, p := range st.members {
		p.Deliver(from, text)
	}
}

// Join adds p.
func (r *Room) Join(ctx context.Context, p Peer) error {
	return r.do(ctx, func(st *state) error {
		if st.has(p.Name()) {
			st.members[p.Name()] = p
			return nil
		}
		if len(st.members) >= r.max {
			return ErrFull
		}
		st.members[p.Name()] = p
		st.say("", p.Name()+" joined")
		return nil
	})
}

// Leave removes a member.
func (r *Room) Leave(ctx context.Context, name string) error {
	return r.do(ctx, func(st *state) error {
		if !st.has(name) {
			return ErrAbsent
		}
		delete(st.members, name)
		st.say("", name+" left")
		return nil
	})
}

// Say sends text of a member to all.
func (r *Room) Say(ctx context.Context, from, text string) error {
	return r.do(ctx, func(st *state) error {
		if !st.has(from) {
			return ErrAbsent
		}
		st.say(from, text)
		return nil
	})
}

// Size returns about how many members there are, and how many there were at most.
func (r *Room) Size() (now, peak int64) { return r.size.Load(), r.peak.Load() }

// Lobby starts rooms on demand.
type Lobby struct {
	ctx context.Context
	max int

	mu    sync.Mutex
	rooms map[string]*Room
}

// NewLobby returns a lobby whose rooms run until ctx ends.
func NewLobby(ctx context.Context, max int) *Lobby {
	return &Lobby{ctx: ctx, max: max, rooms: make(map[string]*Room)}
}

// Room returns the room with the given name.
func (l *Lobby) Room(name string) *Room {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.rooms[name]
	if !ok {
		r = Start(l.ctx, l.max)
		l.rooms[name] = r
	}
	return r
}
