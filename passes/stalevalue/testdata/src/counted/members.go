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

// A Cell is sealed when its last member leaves, and lets nobody in afterwards.
type Cell struct {
	mu      sync.Mutex
	members map[string]bool
	sealed  bool
	limit   int
}

func (c *Cell) add(who string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sealed {
		return false
	}
	c.members[who] = true
	return true
}

// addSome asks for something else.
func (c *Cell) addSome(who string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limit == 0 {
		return false
	}
	c.members[who] = true
	return true
}

func (c *Cell) setLimit(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = n
}

func (c *Cell) remove(who string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.members, who)
	c.sealed = len(c.members) == 0
	return len(c.members)
}

type Jail struct {
	mu    sync.Mutex
	cells map[string]*Cell
}

func (j *Jail) cell(name string) *Cell {
	j.mu.Lock()
	defer j.mu.Unlock()
	c, ok := j.cells[name]
	if !ok {
		c = &Cell{members: make(map[string]bool)}
		j.cells[name] = c
	}
	return c
}

// Admit tries again until it has found a cell that is open.
func (j *Jail) Admit(name, who string) {
	for !j.cell(name).add(who) {
	}
}

func (j *Jail) AdmitSome(name, who string) {
	j.cell(name).addSome(who) // want `check-then-act: j.cells\[name\] was checked at line \d+, but j.mu was released when cell returned and another goroutine may remove it, as it is empty`
}

func (j *Jail) Limit(name string, n int) { j.cell(name).setLimit(n) }

func (j *Jail) Release(name, who string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c, ok := j.cells[name]; ok && c.remove(who) == 0 {
		delete(j.cells, name)
	}
}
