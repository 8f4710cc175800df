package writes

import "sync"

type set map[string]bool

// A directory knows the rooms of each user, and the users of each room.
type directory struct {
	mu    sync.Mutex
	rooms map[string]set
	users map[string]set
	// What follows is a relation of one to one.
	addrs map[string]int
	names map[int]string
}

func (d *directory) noteRoom(user, room string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	rooms, ok := d.rooms[user]
	if !ok {
		return false
	}
	rooms[room] = true
	return true
}

func (d *directory) noteUser(room, user string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users[room] == nil {
		d.users[room] = make(set)
	}
	d.users[room][user] = true
}

// Join makes the two entries in two sections.
func (d *directory) Join(user, room string) {
	if d.noteRoom(user, room) {
		d.noteUser(room, user) // want `split-write: d.rooms\[user\]\[room\] at line \d+ and d.users\[room\]\[user\] here are written apart`
	}
}

// Connect only notes something of the room and something of the user.
func (d *directory) Connect(user, room, hall string) {
	if d.noteRoom(user, room) {
		d.noteUser(hall, user)
	}
}

func (d *directory) Enter(user string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rooms[user] = make(set)
}

func (d *directory) Leave(user, room string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.rooms[user], room)
	delete(d.users[room], user)
}

func (d *directory) setAddr(name string, addr int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.addrs[name] = addr
}

func (d *directory) setName(addr int, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names[addr] = name
}

// Bind makes the two entries of the relation of one to one.
func (d *directory) Bind(name string, addr int) {
	d.setAddr(name, addr)
	d.setName(addr, name) // want `split-write: d.addrs\[name\] at line \d+ and d.names\[addr\] here are written apart`
}

func (d *directory) Unbind(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	addr, ok := d.addrs[name]
	if !ok {
		return
	}
	delete(d.addrs, name)
	delete(d.names, addr)
}
