package chat

import "sync"

type Inbox interface{ Deliver(from, text string) }

type room struct {
	mu      sync.Mutex
	members map[string]Inbox
}

func (r *room) enter(nick string, in Inbox) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[nick] = in
	return len(r.members)
}

func (r *room) exit(nick string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, nick)
	return len(r.members)
}

func (r *room) everyone() []Inbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Inbox, 0, len(r.members))
	for _, in := range r.members {
		all = append(all, in)
	}
	return all
}

type Lobby struct {
	mu    sync.Mutex
	rooms map[string]*room
}

func NewLobby() *Lobby { return &Lobby{rooms: map[string]*room{}} }

func (l *Lobby) room(name string, create bool) *room {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.roomLocked(name, create)
}

func (l *Lobby) roomLocked(name string, create bool) *room {
	r := l.rooms[name]
	if r == nil && create {
		r = &room{members: map[string]Inbox{}}
		l.rooms[name] = r
	}
	return r
}

func (l *Lobby) Join(name, nick string, in Inbox) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.roomLocked(name, true).enter(nick, in)
}

func (l *Lobby) Leave(name, nick string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.roomLocked(name, false); r != nil && r.exit(nick) == 0 {
		delete(l.rooms, name)
	}
}

func (l *Lobby) Say(name, nick, text string) (heard int) {
	if r := l.room(name, false); r != nil {
		for _, in := range r.everyone() {
			in.Deliver(nick, text)
			heard++
		}
	}
	return heard
}
