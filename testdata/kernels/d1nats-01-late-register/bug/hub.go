// Package bug keeps the uplinks of a hub to its remote sites.
package bug

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Reason tells why an uplink was closed.
type Reason int

// Reasons.
const (
	PeerGone Reason = iota
	BadGreeting
	UnknownTenant
)

// Site is a configured remote.
type Site struct {
	Addr   string
	Tenant string
}

// Tenant owns uplinks.
type Tenant struct {
	Name string

	mu    sync.RWMutex
	links map[*uplink]struct{}
}

// enroll adds the uplink and returns how many there were before.
func (t *Tenant) enroll(u *uplink) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.links)
	t.links[u] = struct{}{}
	return n
}

// withdraw removes the uplink and returns how many there were before, or -1 if
// it was none of them.
func (t *Tenant) withdraw(u *uplink) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.links[u]; !ok {
		return -1
	}
	n := len(t.links)
	delete(t.links, u)
	return n
}

type uplink struct {
	id   uint64
	hub  *Hub
	site *Site

	mu     sync.Mutex
	conn   io.ReadWriteCloser
	tenant *Tenant
	closed bool
	reason Reason
}

func (u *uplink) readLoop() {
	u.mu.Lock()
	conn := u.conn
	u.mu.Unlock()
	buf := make([]byte, 4096)
	for {
		if _, err := conn.Read(buf); err != nil {
			u.shut(PeerGone)
			return
		}
	}
}

// shut closes the uplink, takes it out of all tables and has the site dialled
// again.
func (u *uplink) shut(r Reason) {
	u.mu.Lock()
	if u.closed {
		u.mu.Unlock()
		return
	}
	u.closed = true
	u.reason = r
	u.conn.Close()
	t := u.tenant
	u.mu.Unlock()

	u.hub.forget(u)
	if t != nil && t.withdraw(u) == 1 {
		u.hub.activeTenants.Add(-1)
	}
	if r == PeerGone {
		go u.hub.redial(u.site)
	}
}

// Hub is the server.
type Hub struct {
	dial  func(addr string) (io.ReadWriteCloser, error)
	pause time.Duration

	activeTenants atomic.Int64
	nextID        atomic.Uint64

	mu      sync.RWMutex
	tenants map[string]*Tenant
	uplinks map[uint64]*uplink
}

// NewHub returns a running hub.
func NewHub(dial func(string) (io.ReadWriteCloser, error)) *Hub {
	return &Hub{
		dial:    dial,
		pause:   time.Second,
		tenants: make(map[string]*Tenant),
		uplinks: make(map[uint64]*uplink),
	}
}

// AddTenant registers a tenant.
func (h *Hub) AddTenant(name string) *Tenant {
	h.mu.Lock()
	defer h.mu.Unlock()
	t, ok := h.tenants[name]
	if !ok {
		t = &Tenant{Name: name, links: make(map[*uplink]struct{})}
		h.tenants[name] = t
	}
	return t
}

func (h *Hub) lookup(name string) *Tenant {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.tenants[name]
}

func (h *Hub) remember(u *uplink) {
	h.mu.Lock()
	h.uplinks[u.id] = u
	h.mu.Unlock()
}

func (h *Hub) forget(u *uplink) {
	h.mu.Lock()
	delete(h.uplinks, u.id)
	h.mu.Unlock()
}

// Connect opens the uplink to a site.
func (h *Hub) Connect(site *Site) error {
	conn, err := h.dial(site.Addr)
	if err != nil {
		return err
	}
	u := &uplink{id: h.nextID.Add(1), hub: h, site: site, conn: conn}

	t := h.lookup(site.Tenant)
	if t == nil {
		u.shut(UnknownTenant)
		return errors.New("no such tenant")
	}

	// A peer that does not answer the greeting is cut off.
	tm := time.AfterFunc(5*time.Second, func() { u.shut(BadGreeting) })
	if _, err := conn.Write([]byte("HELLO " + site.Tenant + "\n")); err != nil {
		tm.Stop()
		u.shut(BadGreeting)
		return err
	}
	tm.Stop()

	u.mu.Lock()
	if u.closed {
		u.mu.Unlock()
		return io.ErrClosedPipe
	}
	u.tenant = t
	go u.readLoop()
	u.mu.Unlock()

	if t.enroll(u) == 0 {
		h.activeTenants.Add(1)
	}
	h.remember(u)
	return nil
}

func (h *Hub) redial(site *Site) {
	for attempts := 0; attempts < 100; attempts++ {
		time.Sleep(h.pause)
		if err := h.Connect(site); err == nil {
			return
		}
	}
}
