package fix

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

var ErrClosed = errors.New("pool is closed")

type Conn interface {
	io.ReadWriteCloser
}

// Shared is one connection to a backend used by several clients.
type Shared struct {
	Conn
	addr string
	refs atomic.Int32
}

// Pool shares one connection per backend address among all who ask for it,
// and closes it when the last of them is done.
type Pool struct {
	dial func(addr string) (Conn, error)

	mu     sync.Mutex
	shared map[string]*Shared
	closed bool
}

func NewPool(dial func(addr string) (Conn, error)) *Pool {
	return &Pool{dial: dial, shared: make(map[string]*Shared)}
}

// Acquire returns the connection to an address, dialing if there is none.
// Each successful call is matched by one Release.
func (p *Pool) Acquire(addr string) (*Shared, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if s, ok := p.shared[addr]; ok {
		s.refs.Add(1)
		return s, nil
	}
	c, err := p.dial(addr)
	if err != nil {
		return nil, err
	}
	s := &Shared{Conn: c, addr: addr}
	s.refs.Store(1)
	p.shared[addr] = s
	return s, nil
}

// Release gives a connection back.
func (p *Pool) Release(s *Shared) error {
	p.mu.Lock()
	if s.refs.Add(-1) > 0 {
		p.mu.Unlock()
		return nil
	}
	p.forget(s)
	p.mu.Unlock()
	return s.Close()
}

// forget takes a connection out of the pool. The caller holds p.mu.
func (p *Pool) forget(s *Shared) {
	if p.shared[s.addr] == s {
		delete(p.shared, s.addr)
	}
}

// With runs fn with the connection to an address.
func (p *Pool) With(addr string, fn func(io.ReadWriter) error) (err error) {
	s, err := p.Acquire(addr)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := p.Release(s); err == nil {
			err = cerr
		}
	}()
	return fn(s)
}

// Users returns the number of clients per address.
func (p *Pool) Users() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[string]int, len(p.shared))
	for a, s := range p.shared {
		out[a] = int(s.refs.Load())
	}
	return out
}

// Close stops handing out connections. Those in use are closed when they are
// released.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}
