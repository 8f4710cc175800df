// Package hub fans messages out to websocket connections. All changes are made
// by the loop of the hub; other goroutines may look at the state.
package hub

import "sync"

// Conn is one websocket connection. The hub closes Out when the connection is
// no longer served.
type Conn struct {
	User string
	Out  chan []byte
}

// Hub must be made with New.
type Hub struct {
	maxPerUser int
	join       chan *Conn
	leave      chan *Conn
	publish    chan []byte
	quit       chan struct{}
	stopped    chan struct{}
	stopOnce   sync.Once

	mu    sync.RWMutex
	conns map[*Conn]struct{}
	users map[string]int // number of connections
}

// New starts a hub which allows maxPerUser connections for a user.
func New(maxPerUser int) *Hub {
	h := &Hub{
		maxPerUser: maxPerUser,
		join:       make(chan *Conn),
		leave:      make(chan *Conn),
		publish:    make(chan []byte, 64),
		quit:       make(chan struct{}),
		stopped:    make(chan struct{}),
		conns:      make(map[*Conn]struct{}),
		users:      make(map[string]int),
	}
	go h.loop()
	return h
}

func (h *Hub) loop() {
	defer close(h.stopped)
	for {
		select {
		case c := <-h.join:
			if h.Online(c.User) >= h.maxPerUser {
				close(c.Out)
				continue
			}
			h.setUser(c.User, h.Online(c.User)+1)
			h.track(c)
		case c := <-h.leave:
			h.evict(c)
		case msg := <-h.publish:
			h.fanOut(msg)
		case <-h.quit:
			for _, c := range h.snapshot() {
				h.evict(c)
			}
			return
		}
	}
}

func (h *Hub) fanOut(msg []byte) {
	for _, c := range h.snapshot() {
		select {
		case c.Out <- msg:
		default:
			h.evict(c) // too slow
		}
	}
}

func (h *Hub) evict(c *Conn) {
	if !h.tracked(c) {
		return // the reader reports a connection we gave up already
	}
	h.untrack(c)
	h.setUser(c.User, h.Online(c.User)-1)
	close(c.Out)
}

func (h *Hub) snapshot() []*Conn {
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := make([]*Conn, 0, len(h.conns))
	for c := range h.conns {
		out = append(out, c)
	}
	return out
}

func (h *Hub) tracked(c *Conn) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	_, ok := h.conns[c]
	return ok
}

func (h *Hub) track(c *Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conns[c] = struct{}{}
}

func (h *Hub) untrack(c *Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, c)
}

func (h *Hub) setUser(user string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n == 0 {
		delete(h.users, user)
		return
	}
	h.users[user] = n
}

// Online returns the number of connections of the user.
func (h *Hub) Online(user string) int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.users[user]
}

// Serve adds a connection that was just upgraded. It returns false when the
// hub has stopped; the connection is then left to the caller.
func (h *Hub) Serve(c *Conn) bool {
	select {
	case h.join <- c:
		return true
	case <-h.stopped:
		return false
	}
}

// Gone is called by the reader of a connection when it fails.
func (h *Hub) Gone(c *Conn) {
	select {
	case h.leave <- c:
	case <-h.stopped:
	}
}

// Publish sends a message to everybody.
func (h *Hub) Publish(msg []byte) {
	select {
	case h.publish <- msg:
	case <-h.stopped:
	}
}

// Stop drops all connections and waits for the loop.
func (h *Hub) Stop() {
	h.stopOnce.Do(func() { close(h.quit) })
	<-h.stopped
}
