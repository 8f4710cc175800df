// Package connmgr keeps one multiplexed connection to each peer agent.
package connmgr

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("connmgr: closed")

// Conn is a multiplexed connection and can be used by many goroutines. Close
// may be called more than once. Done is closed when the connection has ended,
// whichever side ended it.
type Conn interface {
	Call(ctx context.Context, method string, args, reply any) error
	Done() <-chan struct{}
	Close() error
}

// DialFunc opens a connection to a peer.
type DialFunc func(ctx context.Context, addr string) (Conn, error)

// Manager is safe for concurrent use.
type Manager struct {
	dial DialFunc

	mu     sync.Mutex
	conns  map[string]Conn
	closed bool
	wg     sync.WaitGroup
}

// New returns a manager without connections.
func New(dial DialFunc) *Manager {
	return &Manager{dial: dial, conns: make(map[string]Conn)}
}

// Get returns the connection to addr, dialing it if there is none. Peers that
// are slow to answer hold up nobody else.
func (m *Manager) Get(ctx context.Context, addr string) (Conn, error) {
	c, err := m.lookup(addr)
	if c != nil || err != nil {
		return c, err
	}
	c, err = m.dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	have, err := m.adopt(addr, c)
	if have != c {
		c.Close()
	}
	return have, err
}

func (m *Manager) lookup(addr string) (Conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	return m.conns[addr], nil
}

// adopt makes c the connection to addr and returns it, or returns the one
// that another caller has brought in during the dial.
func (m *Manager) adopt(addr string, c Conn) (Conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	if have, ok := m.conns[addr]; ok {
		return have, nil
	}
	m.conns[addr] = c
	m.wg.Add(1)
	go m.watch(addr, c)
	return c, nil
}

// watch forgets a connection when the peer has hung up.
func (m *Manager) watch(addr string, c Conn) {
	defer m.wg.Done()
	<-c.Done()
	m.Discard(addr, c)
}

// Discard drops a connection that has failed, so that the next Get dials.
func (m *Manager) Discard(addr string, c Conn) {
	m.mu.Lock()
	if m.conns[addr] == c {
		delete(m.conns, addr)
	}
	m.mu.Unlock()
	c.Close()
}

// Close closes all connections and waits for their watchers.
func (m *Manager) Close() error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return ErrClosed
	}
	m.closed = true
	conns := m.conns
	m.conns = make(map[string]Conn)
	m.mu.Unlock()

	var errs []error
	for _, c := range conns {
		errs = append(errs, c.Close())
	}
	m.wg.Wait()
	return errors.Join(errs...)
}
