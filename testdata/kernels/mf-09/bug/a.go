// Package a shares connections to peers between their users.
package a

import (
	"io"
	"sync"
	"sync/atomic"
)

// Dialer opens a connection to a peer. The connections are safe for
// concurrent use.
type Dialer func(addr string) (io.ReadWriteCloser, error)

// sharedConn is a connection with its number of users.
type sharedConn struct {
	addr string
	conn io.ReadWriteCloser
	refs atomic.Int32
}

// Peers has at most one live connection per address.
type Peers struct {
	dial Dialer

	mu    sync.RWMutex
	conns map[string]*sharedConn
}

func NewPeers(dial Dialer) *Peers {
	return &Peers{dial: dial, conns: make(map[string]*sharedConn)}
}

// Handle is one user's claim on a connection.
type Handle struct {
	peers *Peers
	sc    *sharedConn
	once  sync.Once
}

// Write sends to the peer.
func (h *Handle) Write(b []byte) (int, error) { return h.sc.conn.Write(b) }

// Close gives the claim back.
func (h *Handle) Close() error {
	var err error
	h.once.Do(func() { err = h.peers.release(h.sc) })
	return err
}

// lookup claims an existing connection.
func (p *Peers) lookup(addr string) *sharedConn {
	p.mu.RLock()
	defer p.mu.RUnlock()
	sc, ok := p.conns[addr]
	if !ok {
		return nil
	}
	sc.refs.Add(1)
	return sc
}

// Acquire returns a handle on the connection to addr.
func (p *Peers) Acquire(addr string) (*Handle, error) {
	if sc := p.lookup(addr); sc != nil {
		return &Handle{peers: p, sc: sc}, nil
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	sc, ok := p.conns[addr]
	if !ok {
		conn, err := p.dial(addr)
		if err != nil {
			return nil, err
		}
		sc = &sharedConn{addr: addr, conn: conn}
		p.conns[addr] = sc
	}
	sc.refs.Add(1)
	return &Handle{peers: p, sc: sc}, nil
}

// release closes the connection when its last user is gone.
func (p *Peers) release(sc *sharedConn) error {
	if sc.refs.Add(-1) > 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, sc.addr)
	return sc.conn.Close()
}

// Len is the number of open connections.
func (p *Peers) Len() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.conns)
}
