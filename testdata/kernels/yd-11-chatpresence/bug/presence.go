// Package presence tracks who is online in the chat service. A user may be
// connected from several devices at once.
package presence

import (
	"sync"
	"time"
)

// Status is what other users see.
type Status struct {
	Online bool
	Since  time.Time
}

// Board publishes the status of users. It is safe for concurrent use.
type Board struct {
	mu       sync.RWMutex
	status   map[string]Status
	watchers map[chan struct{}]struct{}
}

// NewBoard returns an empty board.
func NewBoard() *Board {
	return &Board{status: make(map[string]Status), watchers: make(map[chan struct{}]struct{})}
}

// show sets the status of user and wakes the watchers.
func (b *Board) show(user string, online bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status[user] = Status{Online: online, Since: time.Now()}
	for w := range b.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// Lookup returns the status of user.
func (b *Board) Lookup(user string) Status {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.status[user]
}

// Watch returns a channel that gets a token after changes; the watcher then
// looks up the users it shows. stop ends the watch.
func (b *Board) Watch() (changed <-chan struct{}, stop func()) {
	w := make(chan struct{}, 1)
	b.mu.Lock()
	b.watchers[w] = struct{}{}
	b.mu.Unlock()
	return w, func() {
		b.mu.Lock()
		delete(b.watchers, w)
		b.mu.Unlock()
	}
}

// Hub knows the open connections. Every connection's goroutine calls Connect
// at its start and Disconnect at its end.
type Hub struct {
	board *Board

	mu    sync.Mutex
	conns map[string]map[uint64]struct{} // by user
}

// NewHub returns a hub that publishes to board.
func NewHub(board *Board) *Hub {
	return &Hub{board: board, conns: make(map[string]map[uint64]struct{})}
}

// Connect registers a connection of user. The first one brings the user
// online.
func (h *Hub) Connect(user string, conn uint64) {
	if h.add(user, conn) == 1 {
		h.board.show(user, true)
	}
}

// Disconnect removes a connection of user. The last one takes the user
// offline.
func (h *Hub) Disconnect(user string, conn uint64) {
	if left, removed := h.remove(user, conn); removed && left == 0 {
		h.board.show(user, false)
	}
}

// add enters the connection and returns how many the user has.
func (h *Hub) add(user string, conn uint64) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	set := h.conns[user]
	if set == nil {
		set = make(map[uint64]struct{})
		h.conns[user] = set
	}
	set[conn] = struct{}{}
	return len(set)
}

// remove drops the connection and returns how many the user has left.
func (h *Hub) remove(user string, conn uint64) (left int, removed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	set := h.conns[user]
	if _, ok := set[conn]; !ok {
		return len(set), false
	}
	delete(set, conn)
	if len(set) == 0 {
		delete(h.conns, user)
	}
	return len(set), true
}

// Connections returns how many connections user has.
func (h *Hub) Connections(user string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.conns[user])
}
