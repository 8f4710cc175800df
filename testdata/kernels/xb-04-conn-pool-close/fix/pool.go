// Package pool keeps idle backend connections for reuse.
package pool

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by Get once the pool has been closed.
var ErrClosed = errors.New("pool: closed")

// Conn is a backend connection.
type Conn interface {
	Ping(ctx context.Context) error
	Close() error
}

// Dialer opens a connection.
type Dialer func(ctx context.Context) (Conn, error)

// Stats counts what the pool has done so far.
type Stats struct {
	Dialed    int64
	Reused    int64
	Discarded int64
}

// Pool hands out connections to request handlers. It is safe for concurrent
// use.
type Pool struct {
	dial Dialer
	idle chan Conn

	parkMu sync.Mutex // a connection is parked only while closed is false
	closed atomic.Bool
	quit   chan struct{}
	bg     sync.WaitGroup

	dialed    atomic.Int64
	reused    atomic.Int64
	discarded atomic.Int64
}

// New returns a pool that keeps at most maxIdle connections and checks one of
// them every probe.
func New(dial Dialer, maxIdle int, probe time.Duration) *Pool {
	p := &Pool{
		dial: dial,
		idle: make(chan Conn, maxIdle),
		quit: make(chan struct{}),
	}
	p.bg.Add(1)
	go p.prober(probe)
	return p
}

// Get returns an idle connection or dials a new one.
func (p *Pool) Get(ctx context.Context) (Conn, error) {
	if p.closed.Load() {
		return nil, ErrClosed
	}
	select {
	case c := <-p.idle:
		p.reused.Add(1)
		return c, nil
	default:
	}
	c, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	p.dialed.Add(1)
	return c, nil
}

// Put gives a connection back. The caller must not use it afterwards. A nil
// reason says the connection is healthy.
func (p *Pool) Put(c Conn, reason error) {
	if reason != nil || !p.park(c) {
		p.discard(c)
	}
}

// park offers c to the idle list and reports whether the pool is open and
// there was room.
func (p *Pool) park(c Conn) bool {
	p.parkMu.Lock()
	defer p.parkMu.Unlock()
	if p.closed.Load() {
		return false
	}
	select {
	case p.idle <- c:
		return true
	default:
		return false
	}
}

func (p *Pool) discard(c Conn) {
	p.discarded.Add(1)
	_ = c.Close()
}

// Stats returns the counters.
func (p *Pool) Stats() Stats {
	return Stats{
		Dialed:    p.dialed.Load(),
		Reused:    p.reused.Load(),
		Discarded: p.discarded.Load(),
	}
}

// Close refuses further Gets and closes the idle connections. Connections in
// use are closed when they are put back.
func (p *Pool) Close() {
	p.parkMu.Lock()
	first := p.closed.CompareAndSwap(false, true)
	p.parkMu.Unlock()
	if !first {
		return
	}
	close(p.quit)
	p.bg.Wait()
	for {
		select {
		case c := <-p.idle:
			p.discard(c)
		default:
			return
		}
	}
}

func (p *Pool) prober(every time.Duration) {
	defer p.bg.Done()
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-t.C:
		}
		select {
		case c := <-p.idle:
			ctx, cancel := context.WithTimeout(context.Background(), every)
			err := c.Ping(ctx)
			cancel()
			p.Put(c, err)
		default:
		}
	}
}
