package lifetimes

import (
	"net"
	"os"
	"slices"
	"sync"
)

// Proxy sends to one of several hosts. A helper takes a host off the list.
type Proxy struct {
	mu    sync.Mutex
	hosts []*host
	next  int
}

type host struct {
	addr string
	conn net.Conn
}

func (p *Proxy) detach(addr string) *host {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, h := range p.hosts {
		if h.addr == addr {
			p.hosts = slices.Delete(p.hosts, i, i+1)
			return h
		}
	}
	return nil
}

// Remove closes the connection of a host that is off the list.
func (p *Proxy) Remove(addr string) error {
	h := p.detach(addr)
	if h == nil {
		return nil
	}
	return h.conn.Close()
}

func (p *Proxy) pick() *host {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.hosts) == 0 {
		return nil
	}
	p.next = (p.next + 1) % len(p.hosts)
	return p.hosts[p.next]
}

// Send may have a host whose connection is closed.
func (p *Proxy) Send(b []byte) (int, error) {
	h := p.pick()
	if h == nil {
		return 0, net.ErrClosed
	}
	return h.conn.Write(b) // want `check-then-act: p\.hosts.* was found .*close it`
}

func spawn() (net.Conn, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return net.Dial("unix", dir)
}

// Tell has its own connection, whatever package os keeps.
func Tell() error {
	c, err := spawn()
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write(nil)
	return err
}
