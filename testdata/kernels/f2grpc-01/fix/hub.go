// Package fix shares connections to control servers between their users.
package fix

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errHubClosed = errors.New("hub: closed")
	errNoServer  = errors.New("hub: empty server name")
)

const idleTimeout = 5 * time.Minute

// channel is the connection to one server. It is used by any number of
// topics and reporters.
type channel struct {
	server string
	users  atomic.Int32

	mu        sync.Mutex
	closed    bool
	topics    map[string]int
	reporting int
	sent      map[string]uint64
}

func openChannel(server string) (*channel, error) {
	if server == "" {
		return nil, errNoServer
	}
	return &channel{server: server, topics: make(map[string]int), sent: make(map[string]uint64)}, nil
}

func (c *channel) follow(topic string) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.topics[topic]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.topics[topic]--; c.topics[topic] == 0 {
			delete(c.topics, topic)
		}
	}
}

func (c *channel) startReports() (*Ledger, func()) {
	c.mu.Lock()
	c.reporting++
	c.mu.Unlock()
	return &Ledger{c: c}, func() {
		c.mu.Lock()
		c.reporting--
		c.mu.Unlock()
	}
}

func (c *channel) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.topics = nil
}

// Ledger collects the numbers that are reported to the server.
type Ledger struct{ c *channel }

// Add counts n for a name. It returns false when they cannot be reported.
func (l *Ledger) Add(name string, n uint64) bool {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	if l.c.closed {
		return false
	}
	l.c.sent[name] += n
	return true
}

type parked struct {
	ch    *channel
	timer *time.Timer
}

// Hub hands out channels.
type Hub struct {
	mu     sync.Mutex
	done   bool
	live   map[string]*channel
	parked map[string]*parked
}

// NewHub returns a hub without channels.
func NewHub() *Hub {
	return &Hub{live: make(map[string]*channel), parked: make(map[string]*parked)}
}

// channelLocked returns the channel to a server. The caller holds h.mu.
func (h *Hub) channelLocked(server string) (*channel, error) {
	if h.done {
		return nil, errHubClosed
	}
	if ch, ok := h.live[server]; ok {
		return ch, nil
	}
	if p, ok := h.parked[server]; ok {
		p.timer.Stop()
		delete(h.parked, server)
		h.live[server] = p.ch
		return p.ch, nil
	}
	ch, err := openChannel(server)
	if err != nil {
		return nil, err
	}
	h.live[server] = ch
	return ch, nil
}

// release gives up one use of ch; a channel without users is parked.
func (h *Hub) release(ch *channel) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ch.users.Add(-1) > 0 || h.done {
		return
	}
	delete(h.live, ch.server)
	p := &parked{ch: ch}
	p.timer = time.AfterFunc(idleTimeout, func() { h.evict(p) })
	h.parked[ch.server] = p
}

func (h *Hub) evict(p *parked) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.parked[p.ch.server] != p {
		return
	}
	delete(h.parked, p.ch.server)
	p.ch.shut()
}

// Follow subscribes to a topic of a server.
func (h *Hub) Follow(server, topic string) (func(), error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ch, err := h.channelLocked(server)
	if err != nil {
		return nil, err
	}
	ch.users.Add(1)
	stop := ch.follow(topic)
	var once sync.Once
	return func() {
		once.Do(func() {
			stop()
			h.release(ch)
		})
	}, nil
}

// Report starts reporting to a server.
func (h *Hub) Report(server string) (*Ledger, func(), error) {
	h.mu.Lock()
	ch, err := h.channelLocked(server)
	if err != nil {
		h.mu.Unlock()
		return nil, nil, err
	}
	ch.users.Add(1)
	h.mu.Unlock()

	led, stop := ch.startReports()
	var once sync.Once
	return led, func() {
		once.Do(func() {
			stop()
			h.release(ch)
		})
	}, nil
}

// Close closes the channels that are not in use.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done = true
	for s, p := range h.parked {
		p.timer.Stop()
		p.ch.shut()
		delete(h.parked, s)
	}
}
