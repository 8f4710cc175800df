package upstream

import (
	"errors"
	"io"
	"sync"
)

var ErrGone = errors.New("upstream: no connection")

type Dialer func(host string) (io.WriteCloser, error)

type conn struct {
	mu   sync.Mutex
	sock io.WriteCloser
	sent int64
}

func (c *conn) hold() (release func()) {
	c.mu.Lock()
	return c.mu.Unlock
}

type Pool struct {
	mu    sync.Mutex
	conns map[string]*conn
	dial  Dialer
}

func NewPool(d Dialer) *Pool { return &Pool{conns: make(map[string]*conn), dial: d} }

func (p *Pool) Connect(host string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, have := p.conns[host]; have {
		return nil
	}
	sock, err := p.dial(host)
	if err == nil {
		p.conns[host] = &conn{sock: sock}
	}
	return err
}

func (p *Pool) lookup(host string) (*conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.conns[host]; ok {
		return c, nil
	}
	return nil, ErrGone
}

func (p *Pool) Send(host string, frame []byte) error {
	c, err := p.lookup(host)
	if err != nil {
		return err
	}
	defer c.hold()()
	n, err := c.sock.Write(frame)
	c.sent += int64(n)
	return err
}

func (p *Pool) Evict(host string) error {
	p.mu.Lock()
	c := p.conns[host]
	delete(p.conns, host)
	p.mu.Unlock()
	if c == nil {
		return ErrGone
	}
	defer c.hold()()
	err := c.sock.Close()
	c.sock = nil
	return err
}
