package presence

import (
	"context"
	"sync"
)

// room is shared by its members' connections.
type room struct {
	name string
	refs int // guarded by Lobby.mu

	mu      sync.Mutex
	members map[string]chan string
}

func (r *room) enter(user string) chan string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ch := make(chan string, 32)
	if old, ok := r.members[user]; ok {
		close(old) // a second device takes over
	}
	r.members[user] = ch
	return ch
}

func (r *room) exit(user string, ch chan string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.members[user] == ch {
		delete(r.members, user)
		close(ch)
	}
}

func (r *room) say(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ch := range r.members {
		select {
		case ch <- text:
		default: // slow members miss lines
		}
	}
}

// Lobby has the rooms that somebody uses.
type Lobby struct {
	mu    sync.Mutex
	rooms map[string]*room
}

func NewLobby() *Lobby { return &Lobby{rooms: make(map[string]*room)} }

func (l *Lobby) pin(name string) *room {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.rooms[name]
	if !ok {
		r = &room{name: name, members: make(map[string]chan string)}
		l.rooms[name] = r
	}
	r.refs++
	return r
}

func (l *Lobby) unpin(r *room) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.refs--
	if r.refs == 0 {
		delete(l.rooms, r.name)
	}
}

// Serve runs one websocket connection: lines that come in are said in the
// room, lines said by anybody are written to out.
func (l *Lobby) Serve(ctx context.Context, name, user string, in <-chan string, out func(string) error) error {
	r := l.pin(name)
	defer l.unpin(r)
	ch := r.enter(user)
	defer r.exit(user, ch)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case text, ok := <-in:
			if !ok {
				return nil
			}
			r.say(user + ": " + text)
		case text, ok := <-ch:
			if !ok {
				return nil
			}
			if err := out(text); err != nil {
				return err
			}
		}
	}
}

// Announce says a line in a room if somebody is there.
func (l *Lobby) Announce(name, text string) {
	l.mu.Lock()
	r, ok := l.rooms[name]
	if ok {
		r.refs++
	}
	l.mu.Unlock()
	if !ok {
		return
	}
	defer l.unpin(r)
	r.say(text)
}
