package counted

import "sync"

// A Room is known to its hub as long as it has members.
type Room struct {
	name    string
	mu      sync.Mutex
	members map[string]bool
}

func (r *Room) add(who string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[who] = true
}

func (r *Room) remove(who string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, who)
}

func (r *Room) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.members)
}

type Hub struct {
	mu    sync.Mutex
	rooms map[string]*Room
}

func (h *Hub) room(name string) *Room {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.rooms[name]
	if !ok {
		r = &Room{name: name, members: make(map[string]bool)}
		h.rooms[name] = r
	}
	return r
}

// Join may put the member into a room that nobody finds any more.
func (h *Hub) Join(name, who string) {
	h.room(name).add(who) // want `check-then-act: h.rooms\[name\] was checked at line \d+, but h.mu was released when room returned and another goroutine may remove it, as it is empty, before this call of add of`
}

// JoinAtOnce adds where it has found the room.
func (h *Hub) JoinAtOnce(name, who string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r, ok := h.rooms[name]; ok {
		r.add(who)
	}
}

func (h *Hub) Leave(name, who string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.rooms[name]
	if !ok {
		return
	}
	r.remove(who)
	if r.size() == 0 {
		delete(h.rooms, name)
	}
}
