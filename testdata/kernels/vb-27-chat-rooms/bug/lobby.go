package chat

import "sync"

// Lobby creates rooms and distributes newcomers over them.
type Lobby struct {
	mu    sync.Mutex
	limit int
	rooms []*Room
}

func NewLobby(limit int) *Lobby { return &Lobby{limit: limit} }

// Place puts the member into the first room with a free place.
func (l *Lobby) Place(who string, out chan<- string) *Room {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.rooms {
		if r.free() == 0 {
			continue
		}
		r.admit(who, out)
		return r
	}
	r := &Room{limit: l.limit, members: map[string]chan<- string{who: out}}
	l.rooms = append(l.rooms, r)
	return r
}
