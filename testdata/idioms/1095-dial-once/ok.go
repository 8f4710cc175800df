// Correct: the entry goes into the map in the section that finds none, and
// before the dial; whoever comes later waits for that entry. The fields of an
// entry are written by its maker only, before ready is closed.
package peers

import (
	"context"
	"errors"
	"io"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("peers are closed")

type entry struct {
	ready chan struct{}
	conn  io.ReadWriteCloser
	err   error
}

// Peers holds one connection to every address in use.
type Peers struct {
	dial func(addr string) (io.ReadWriteCloser, error)

	mu     sync.Mutex
	conns  map[string]*entry
	closed bool
}

// New returns a set of peers that are reached with dial.
func New(dial func(addr string) (io.ReadWriteCloser, error)) *Peers {
	return &Peers{dial: dial, conns: make(map[string]*entry)}
}

func (p *Peers) entry(addr string) (e *entry, mine bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false, ErrClosed
	}
	if e, ok := p.conns[addr]; ok {
		return e, false, nil
	}
	e = &entry{ready: make(chan struct{})}
	p.conns[addr] = e
	return e, true, nil
}

func (p *Peers) forget(addr string, e *entry) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conns[addr] != e {
		return false
	}
	delete(p.conns, addr)
	return true
}

// Get returns the connection to addr and dials if there is none.
func (p *Peers) Get(ctx context.Context, addr string) (io.ReadWriteCloser, error) {
	e, mine, err := p.entry(addr)
	if err != nil {
		return nil, err
	}
	if mine {
		go func() {
			e.conn, e.err = p.dial(addr)
			if e.err != nil {
				p.forget(addr, e)
			}
			close(e.ready)
		}()
	}
	select {
	case <-e.ready:
		return e.conn, e.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *Peers) peek(addr string) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conns[addr]
}

// Broken takes conn out of use after an error.
func (p *Peers) Broken(addr string, conn io.ReadWriteCloser) {
	e := p.peek(addr)
	if e == nil {
		return
	}
	select {
	case <-e.ready:
	default:
		return // a newer one, still being dialled
	}
	if e.conn == conn && p.forget(addr, e) {
		conn.Close()
	}
}

// Close closes all connections, also those that are being dialled.
func (p *Peers) Close() {
	p.mu.Lock()
	conns := p.conns
	p.conns = nil
	p.closed = true
	p.mu.Unlock()
	for _, e := range conns {
		<-e.ready
		if e.err == nil {
			e.conn.Close()
		}
	}
}
