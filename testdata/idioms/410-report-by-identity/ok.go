// Package ok chooses the server that requests are sent to.
package ok

import (
	"context"
	"errors"
	"log"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrNoPeers is returned if no server is known.
var ErrNoPeers = errors.New("no servers known")

// Peer is a server.
type Peer struct {
	Addr string
	Zone string
}

// Pinger tests a server.
type Pinger interface {
	Ping(addr string) error
}

// Roster is the list of servers; the first one is used.
type Roster struct {
	ping Pinger
	stop chan struct{}

	mu    sync.Mutex
	peers []Peer
	fails map[string]int
	nodes int
}

// NewRoster returns an empty roster.
func NewRoster(p Pinger) *Roster {
	return &Roster{ping: p, stop: make(chan struct{}), fails: make(map[string]int)}
}

func sorted(peers []Peer) []Peer {
	s := slices.Clone(peers)
	slices.SortFunc(s, func(a, b Peer) int { return strings.Compare(a.Addr, b.Addr) })
	return s
}

func shuffle(peers []Peer) {
	rand.Shuffle(len(peers), func(i, j int) { peers[i], peers[j] = peers[j], peers[i] })
}

// turn moves the first to the end.
func turn(peers []Peer) {
	if len(peers) < 2 {
		return
	}
	first := peers[0]
	copy(peers, peers[1:])
	peers[len(peers)-1] = first
}

// Set replaces the servers and tells whether they are others than before. The
// order of a list with the same servers is kept.
func (r *Roster) Set(peers []Peer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Equal(sorted(r.peers), sorted(peers)) {
		return false
	}
	r.peers = slices.Clone(peers)
	shuffle(r.peers)
	for addr := range r.fails {
		if !slices.ContainsFunc(peers, func(p Peer) bool { return p.Addr == addr }) {
			delete(r.fails, addr)
		}
	}
	return true
}

// First returns the server to use.
func (r *Roster) First() (Peer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.peers) == 0 {
		return Peer{}, false
	}
	return r.peers[0], true
}

// Failed reports that a server did not answer. If it is not the first any
// more, others have reported it already.
func (r *Roster) Failed(p Peer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.peers) > 0 && r.peers[0] == p {
		r.fails[p.Addr]++
		turn(r.peers)
	}
}

// All returns a copy of the list.
func (r *Roster) All() []Peer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.peers)
}

// SetNodes tells how many clients there are.
func (r *Roster) SetNodes(n int) {
	r.mu.Lock()
	r.nodes = n
	r.mu.Unlock()
}

func (r *Roster) interval() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := 2 * time.Minute
	if n := len(r.peers); n > 0 {
		d = max(d, time.Duration(r.nodes/n)*time.Second/64)
	}
	return d
}

// Start looks for a better order now and then.
func (r *Roster) Start() {
	for {
		select {
		case <-time.After(r.interval()):
			r.rebalance()
		case <-r.stop:
			return
		}
	}
}

// Stop ends Start. It is called once.
func (r *Roster) Stop() { close(r.stop) }

// rebalance puts a random server that answers to the front.
func (r *Roster) rebalance() {
	peers := r.All()
	shuffle(peers)
	healthy := false
	for range peers {
		err := r.ping.Ping(peers[0].Addr)
		if err == nil {
			healthy = true
			break
		}
		log.Printf("server %s does not answer: %v", peers[0].Addr, err)
		turn(peers)
	}
	if !healthy {
		return
	}
	// Does nothing if the servers are others by now.
	r.reorder(peers)
}

func (r *Roster) reorder(peers []Peer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Equal(sorted(r.peers), sorted(peers)) {
		r.peers = peers
	}
}

// Client sends requests.
type Client struct {
	roster *Roster
	call   func(ctx context.Context, addr string, req []byte) ([]byte, error)
}

// NewClient returns a client.
func NewClient(r *Roster, call func(context.Context, string, []byte) ([]byte, error)) *Client {
	return &Client{roster: r, call: call}
}

// Do sends a request and tries another server if one fails.
func (c *Client) Do(ctx context.Context, req []byte) ([]byte, error) {
	err := ErrNoPeers
	for range 3 {
		p, ok := c.roster.First()
		if !ok {
			return nil, ErrNoPeers
		}
		var resp []byte
		if resp, err = c.call(ctx, p.Addr, req); err == nil {
			return resp, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.roster.Failed(p)
	}
	return nil, err
}
