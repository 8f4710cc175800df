// Package fix starts replication members when assignments ask for them.
package fix

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

var (
	errInactive = errors.New("cluster is not active")
	errLimit    = errors.New("too many members on this host")
)

// Member is one running replica of a group.
type Member struct {
	group string
	id    string
	wal   *os.File

	mu     sync.RWMutex
	closed bool
	peers  []string
	term   uint64

	quit chan struct{}
	done chan struct{}
}

// Closed tells whether the member is being taken down.
func (m *Member) Closed() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.closed
}

// Peers returns a copy of the known peers.
func (m *Member) Peers() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Clone(m.peers)
}

func (m *Member) setPeers(peers []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.peers = slices.Clone(peers)
}

// Stop asks the member to end.
func (m *Member) Stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.closed = true
	close(m.quit)
}

// WaitForStop returns when the member has given up its files.
func (m *Member) WaitForStop() { <-m.done }

func (m *Member) run(h *Host) {
	t := time.NewTicker(50 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			m.mu.Lock()
			m.term++
			m.mu.Unlock()
		case <-m.quit:
			m.wal.Close()
			h.unregister(m)
			close(m.done)
			return
		}
	}
}

// Host knows the members that run in this process.
type Host struct {
	mu      sync.RWMutex
	members map[string]*Member
}

// NewHost returns a host without members.
func NewHost() *Host { return &Host{members: make(map[string]*Member)} }

func (h *Host) lookup(group string) *Member {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.members[group]
}

func (h *Host) count() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.members)
}

func (h *Host) register(m *Member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.members[m.group] = m
}

func (h *Host) unregister(m *Member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.members[m.group] == m {
		delete(h.members, m.group)
	}
}

func (h *Host) start(self, dir, group string, peers []string) (*Member, error) {
	f, err := os.OpenFile(filepath.Join(dir, group+".wal"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	m := &Member{
		group: group,
		id:    self,
		wal:   f,
		peers: peers,
		quit:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	h.register(m)
	go m.run(h)
	return m, nil
}

// Group is the replication part of an assignment.
type Group struct {
	Name  string
	Peers []string

	member *Member
}

// Cluster carries out the assignments of the meta layer.
type Cluster struct {
	mu      sync.RWMutex
	active  bool
	self    string
	dir     string
	limit   int
	host    *Host
	streams map[string]*Group
}

// NewCluster returns an active cluster.
func NewCluster(self, dir string, limit int, h *Host) *Cluster {
	return &Cluster{active: true, self: self, dir: dir, limit: limit, host: h, streams: make(map[string]*Group)}
}

// Shutdown makes all later assignments fail.
func (c *Cluster) Shutdown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active = false
}

// Running tells whether a member serves the stream.
func (c *Cluster) Running(stream string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g := c.streams[stream]
	return g != nil && g.member != nil && !g.member.Closed()
}

// AssignStream is called for an assignment of the meta layer.
func (c *Cluster) AssignStream(stream string, g *Group) error {
	c.mu.Lock()
	if old := c.streams[stream]; old != nil {
		old.Peers = g.Peers
		g = old
	} else {
		c.streams[stream] = g
	}
	c.mu.Unlock()
	go c.ensureMember(g)
	return nil
}

// Recover starts the members of all known streams again.
func (c *Cluster) Recover() (failed int) {
	c.mu.RLock()
	gs := make([]*Group, 0, len(c.streams))
	for _, g := range c.streams {
		gs = append(gs, g)
	}
	c.mu.RUnlock()
	for _, g := range gs {
		if err := c.ensureMember(g); err != nil {
			failed++
		}
	}
	return failed
}

func (c *Cluster) ensureMember(g *Group) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.active {
		return errInactive
	}
	if len(g.Peers) <= 1 || !slices.Contains(g.Peers, c.self) {
		return nil
	}

retry:
	if m := c.host.lookup(g.Name); m != nil {
		if m.Closed() {
			c.mu.Unlock()
			m.WaitForStop()
			c.mu.Lock()
			goto retry
		}
		if !slices.Equal(m.Peers(), g.Peers) {
			m.setPeers(g.Peers)
		}
		g.member = m
		return nil
	}
	peers := slices.Clone(g.Peers)

	if c.limit > 0 && c.host.count() >= c.limit {
		return errLimit
	}
	m, err := c.host.start(c.self, c.dir, g.Name, peers)
	if err != nil {
		return err
	}
	g.member = m
	return nil
}
