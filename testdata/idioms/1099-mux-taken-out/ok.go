// Correct: whoever takes a call out of the map, in one section, is the only
// one who has it then. The reply, the timer, a failed send and Close all go
// through take or takeAll first, so the steps that follow without the lock
// are done once.
package mux

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	ErrTimeout = errors.New("call timed out")
	ErrClosed  = errors.New("mux is closed")
)

type call struct {
	timer *time.Timer
	done  chan struct{}
	reply []byte
	err   error
}

func (c *call) finish(reply []byte, err error) {
	c.timer.Stop()
	c.reply, c.err = reply, err
	close(c.done)
}

// Sender puts requests on the wire.
type Sender interface {
	Send(id uint64, body []byte) error
}

// Mux matches replies with requests.
type Mux struct {
	out     Sender
	timeout time.Duration

	mu     sync.Mutex
	next   uint64
	calls  map[uint64]*call
	closed bool
}

// New returns a mux that sends with out.
func New(out Sender, timeout time.Duration) *Mux {
	return &Mux{out: out, timeout: timeout, calls: make(map[uint64]*call)}
}

func (m *Mux) start() (uint64, *call, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return 0, nil, ErrClosed
	}
	m.next++
	id := m.next
	c := &call{done: make(chan struct{})}
	c.timer = time.AfterFunc(m.timeout, func() { m.fail(id, ErrTimeout) })
	m.calls[id] = c
	return id, c, nil
}

func (m *Mux) take(id uint64) *call {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.calls[id]
	delete(m.calls, id)
	return c
}

func (m *Mux) takeAll() map[uint64]*call {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	calls := m.calls
	m.calls = nil
	return calls
}

func (m *Mux) fail(id uint64, err error) {
	if c := m.take(id); c != nil {
		c.finish(nil, err)
	}
}

// Deliver is called by the read loop for every reply.
func (m *Mux) Deliver(id uint64, body []byte) bool {
	c := m.take(id)
	if c == nil {
		return false
	}
	c.finish(body, nil)
	return true
}

// Call sends a request and waits for its reply.
func (m *Mux) Call(ctx context.Context, body []byte) ([]byte, error) {
	id, c, err := m.start()
	if err != nil {
		return nil, err
	}
	if err := m.out.Send(id, body); err != nil {
		m.fail(id, err)
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		m.fail(id, ctx.Err())
		<-c.done
	}
	return c.reply, c.err
}

// Pending returns the number of calls without a reply.
func (m *Mux) Pending() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.calls)
}

// Close fails all calls.
func (m *Mux) Close() {
	for _, c := range m.takeAll() {
		c.finish(nil, ErrClosed)
	}
}
