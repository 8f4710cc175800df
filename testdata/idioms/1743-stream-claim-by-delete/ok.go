package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errClosed  = errors.New("connection is closed")
	errTimeout = errors.New("call timed out")
)

type reply struct {
	payload []byte
	err     error
}

// call is a request that waits for its reply. Whoever takes it out of the
// table finishes it, and nobody else.
type call struct {
	id    uint64
	timer *time.Timer
	ch    chan reply // buffered, gets one reply
}

// frameWriter sends frames; it locks by itself.
type frameWriter interface {
	WriteFrame(id uint64, payload []byte) error
}

// callTable holds the calls in flight.
type callTable struct {
	mu     sync.Mutex
	closed bool
	calls  map[uint64]*call
}

// insert puts a call in and starts its timer, whose function has to claim the
// call and so comes after this.
func (t *callTable) insert(c *call, timeout time.Duration, onTimeout func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.calls[c.id] = c
	c.timer = time.AfterFunc(timeout, onTimeout)
	return true
}

// claim takes a call out; ok is true for one caller only.
func (t *callTable) claim(id uint64) (c *call, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, ok = t.calls[id]
	delete(t.calls, id)
	return c, ok
}

// drain takes all calls out and accepts no more.
func (t *callTable) drain() map[uint64]*call {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.calls
	t.calls = nil
	t.closed = true
	return all
}

// clientConn multiplexes calls over one connection.
type clientConn struct {
	w       frameWriter
	timeout time.Duration
	nextID  atomic.Uint64
	late    atomic.Uint64
	table   callTable
}

func newClientConn(w frameWriter, timeout time.Duration) *clientConn {
	return &clientConn{w: w, timeout: timeout, table: callTable{calls: make(map[uint64]*call)}}
}

// finish ends a call with a reply, unless another one has ended it.
func (cc *clientConn) finish(id uint64, r reply) bool {
	c, ok := cc.table.claim(id)
	if !ok {
		return false
	}
	c.timer.Stop()
	c.ch <- r
	return true
}

// Invoke sends a request and waits for the reply.
func (cc *clientConn) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	// IDs are not used again, so a timer or a reply that is late meets no
	// other call.
	id := cc.nextID.Add(1)
	c := &call{id: id, ch: make(chan reply, 1)}
	onTimeout := func() { cc.finish(id, reply{err: errTimeout}) }
	if !cc.table.insert(c, cc.timeout, onTimeout) {
		return nil, errClosed
	}
	if err := cc.w.WriteFrame(id, payload); err != nil {
		cc.finish(id, reply{err: err})
	}
	select {
	case r := <-c.ch:
		return r.payload, r.err
	case <-ctx.Done():
		cc.finish(id, reply{err: ctx.Err()})
		r := <-c.ch
		return r.payload, r.err
	}
}

// HandleFrame is called by the read loop for each reply.
func (cc *clientConn) HandleFrame(id uint64, payload []byte) {
	if !cc.finish(id, reply{payload: payload}) {
		cc.late.Add(1)
	}
}

// Late counts the replies nobody waited for any more.
func (cc *clientConn) Late() uint64 { return cc.late.Load() }

// Close fails all calls in flight. It may be called again.
func (cc *clientConn) Close() {
	for _, c := range cc.table.drain() {
		c.timer.Stop()
		c.ch <- reply{err: errClosed}
	}
}
