package pools

import "sync"

// A client says which group it is in.
type client struct {
	srv *Groups
	id  int

	mu     sync.Mutex
	group  string
	closed bool
}

type Groups struct {
	mu  sync.Mutex
	all map[string]map[int]*client
}

func (c *client) Close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	id, group := c.id, c.group
	c.mu.Unlock()
	c.srv.remove(id, group)
}

func (g *Groups) remove(id int, group string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.all[group], id)
}

// Join puts in a client that may be closed by then.
func (g *Groups) Join(c *client, group string) {
	c.mu.Lock()
	c.group = group
	id := c.id
	c.mu.Unlock()

	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all[group] == nil {
		g.all[group] = make(map[int]*client)
	}
	g.all[group][id] = c // want `check-then-act: c\.group was written at line \d+ and .* \(\*client\)\.Close \(register\.go:\d+\) may set client\.closed`
}

// JoinOpen asks first, with both locks.
func (g *Groups) JoinOpen(c *client, group string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.group = group
	g.all[group][c.id] = c
}

// JoinAndAsk asks afterwards.
func (g *Groups) JoinAndAsk(c *client, group string) {
	c.mu.Lock()
	c.group = group
	id := c.id
	c.mu.Unlock()

	g.mu.Lock()
	g.all[group][id] = c
	g.mu.Unlock()

	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		g.remove(id, group)
	}
}

// New puts in a client that nobody else knows yet.
func (g *Groups) New(id int, group string) {
	c := &client{srv: g, id: id}
	c.mu.Lock()
	c.group = group
	c.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all[group][id] = c
}

// A balancer is told what to use, and has its own table: it is not put in there itself.
type balancer struct {
	mu     sync.Mutex
	server string
	ready  bool
	conns  map[string]*balancer
}

func (b *balancer) Stop() {
	b.mu.Lock()
	b.ready = true
	server := b.server
	b.mu.Unlock()
	b.mu.Lock()
	delete(b.conns, server)
	b.mu.Unlock()
}

func (b *balancer) Use(server string, next *balancer) {
	b.mu.Lock()
	b.server = server
	b.mu.Unlock()
	b.mu.Lock()
	b.conns[server] = next
	b.mu.Unlock()
}

// A member can only be closed with the lock that it is entered with.
type member struct {
	club *Club
	id   int

	big    sync.Mutex
	mu     sync.Mutex
	room   string
	closed bool
}

type Club struct {
	mu    sync.Mutex
	rooms map[string]map[int]*member
}

func (m *member) Close() {
	m.big.Lock()
	defer m.big.Unlock()
	m.mu.Lock()
	m.closed = true
	id, room := m.id, m.room
	m.mu.Unlock()
	m.club.mu.Lock()
	delete(m.club.rooms[room], id)
	m.club.mu.Unlock()
}

func (c *Club) Enter(m *member, room string) {
	m.big.Lock()
	defer m.big.Unlock()
	m.mu.Lock()
	m.room = room
	m.mu.Unlock()
	c.mu.Lock()
	c.rooms[room][m.id] = m
	c.mu.Unlock()
}

func (c *Club) EnterLate(m *member, room string) {
	m.mu.Lock()
	m.room = room
	m.mu.Unlock()
	c.mu.Lock()
	c.rooms[room][m.id] = m // want `check-then-act: m\.room was written at line \d+`
	c.mu.Unlock()
}
