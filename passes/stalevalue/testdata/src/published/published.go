// Package published has objects that a function makes and gives to others before it is done
// with them.
package published

import (
	"container/list"
	"sync"
)

type session struct {
	mu     sync.Mutex
	user   string
	closed bool
	count  int
}

func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.count = 0
}

func (s *session) open() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed
}

// total and set make a lost update if others have the session.
func (s *session) total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

func (s *session) set(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count = n
}

type registry struct {
	mu    sync.Mutex
	all   []*session
	named map[string]*session
	order *list.List
	index sync.Map
	news  chan *session
}

// Close makes everybody a rival of who has a session.
func (r *registry) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.all {
		s.close()
	}
}

func (r *registry) add(s *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, s)
}

func (r *registry) enter(s *session) { r.add(s) }

func (r *registry) name(s *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.named[s.user] = s
}

func (r *registry) print(s *session) string { return s.user }

// Appended: the callee appends the session to a list.
func (r *registry) Appended(user string) {
	s := &session{user: user}
	r.add(s)
	n := s.total()
	s.set(n + 1) // want `lost-update: session\.count was read at line \d+`
}

// Deep: the callee of the callee does.
func (r *registry) Deep(user string) {
	s := &session{user: user}
	r.enter(s)
	n := s.total()
	s.set(n + 1) // want `lost-update: session\.count was read at line \d+`
}

// Named: the callee stores it in a map.
func (r *registry) Named(user string) {
	s := &session{user: user}
	r.name(s)
	n := s.total()
	s.set(n + 1) // want `lost-update: session\.count was read at line \d+`
}

// Indexed: sync.Map stores its argument.
func (r *registry) Indexed(user string) {
	s := &session{user: user}
	r.index.Store(user, s)
	n := s.total()
	s.set(n + 1) // want `lost-update: session\.count was read at line \d+`
}

// Ordered: a function of another package changes its receiver.
func (r *registry) Ordered(user string) {
	s := &session{user: user}
	r.order.PushBack(s)
	n := s.total()
	s.set(n + 1) // want `lost-update: session\.count was read at line \d+`
}

type entry struct{ s *session }

// Within: what the new entry has is published with it.
func (r *registry) Within(user string, out chan *entry) {
	s := &session{user: user}
	e := &entry{s: s}
	out <- e
	n := s.total()
	s.set(n + 1) // want `lost-update: session\.count was read at line \d+`
}

// Shown: the callee does not store it.
func (r *registry) Shown(user string) string {
	s := &session{user: user}
	t := r.print(s)
	n := s.total()
	s.set(n + 1)
	return t
}

// Before: the update comes before the publication.
func (r *registry) Before(user string) {
	s := &session{user: user}
	n := s.total()
	s.set(n + 1)
	r.add(s)
}

// Private: the registry that has the session is new, too.
func Private(user string) int {
	r := &registry{}
	s := &session{user: user}
	r.add(s)
	n := s.total()
	s.set(n + 1)
	return len(r.all)
}

type conn struct {
	hub    *Hub
	id     int
	mu     sync.Mutex
	closed bool
}

// Hub has the open connections.
type Hub struct {
	mu    sync.Mutex
	conns map[int]*conn
}

func (h *Hub) add(c *conn) {
	h.mu.Lock()
	h.conns[c.id] = c
	h.mu.Unlock()
}

func (h *Hub) remove(c *conn) {
	h.mu.Lock()
	delete(h.conns, c.id)
	h.mu.Unlock()
}

func (c *conn) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// shut takes the connection out of the table.
func (c *conn) shut() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.hub.remove(c)
}

func (c *conn) read() { c.shut() }

// Connect may register a connection that its reader has closed.
func (h *Hub) Connect(id int) {
	c := &conn{hub: h, id: id}
	go c.read()
	if c.isClosed() {
		return
	}
	h.add(c) // want `check-then-act: conn\.closed was checked at line \d+`
}

// ConnectAndLook looks again, and takes it out.
func (h *Hub) ConnectAndLook(id int) {
	c := &conn{hub: h, id: id}
	go c.read()
	if c.isClosed() {
		return
	}
	h.add(c)
	if c.isClosed() {
		h.remove(c)
	}
}

// Register starts the reader when the connection is in the table.
func (h *Hub) Register(id int) {
	c := &conn{hub: h, id: id}
	if c.isClosed() {
		return
	}
	h.add(c)
	go c.read()
}
