// Package replies has steps whose order is not kept: answers that come before they are waited for, and values that are
// stored in another order than they were computed in.
package replies

import (
	"sync"
	"sync/atomic"
)

type frame struct {
	id   uint64
	body string
}

type conn interface {
	Send(frame) error
	Receive() (frame, error)
}

// A Caller enters the place of an answer when the request is on its way.
type Caller struct {
	conn    conn
	last    atomic.Uint64
	waiting sync.Map
}

func NewCaller(c conn) *Caller {
	l := &Caller{conn: c}
	go l.receive()
	return l
}

func (c *Caller) receive() {
	for {
		f, err := c.conn.Receive()
		if err != nil {
			return
		}
		if w, ok := c.waiting.LoadAndDelete(f.id); ok {
			w.(chan frame) <- f
		}
	}
}

func (c *Caller) await(id uint64) chan frame {
	w := make(chan frame, 1)
	c.waiting.Store(id, w)
	return w
}

func (c *Caller) Call(body string) (string, error) {
	id := c.last.Add(1)
	if err := c.conn.Send(frame{id, body}); err != nil {
		return "", err
	}
	f := <-c.await(id) // want `check-then-act: what has the key of c.waiting\[…\] is sent at line 53, and the entry is made here; \(\*Caller\).receive \(replies.go:39\) may look for it in between, and not find it`
	return f.body, nil
}

// CallInTime enters it before.
func (c *Caller) CallInTime(body string) (string, error) {
	id := c.last.Add(1)
	w := c.await(id)
	if err := c.conn.Send(frame{id, body}); err != nil {
		c.waiting.Delete(id)
		return "", err
	}
	return (<-w).body, nil
}

// Notify waits for nothing, and Expect for what others ask for.
func (c *Caller) Notify(body string) error { return c.conn.Send(frame{c.last.Add(1), body}) }

func (c *Caller) Expect() chan frame { return c.await(c.last.Add(1)) }

// A Locked caller lets nobody look for the answer before.
type Locked struct {
	requests chan frame
	mu       sync.Mutex
	last     atomic.Uint64
	waiting  map[uint64]chan frame
}

func (l *Locked) Settle(answers chan frame) {
	for f := range answers {
		l.mu.Lock()
		w := l.waiting[f.id]
		delete(l.waiting, f.id)
		l.mu.Unlock()
		if w != nil {
			w <- f
		}
	}
}

func (l *Locked) send(f frame) { l.requests <- f }

func (l *Locked) Call(body string) string {
	w := make(chan frame, 1)
	id := l.last.Add(1)
	l.mu.Lock()
	l.send(frame{id, body})
	l.waiting[id] = w
	l.mu.Unlock()
	return (<-w).body
}

func (l *Locked) CallLate(body string) string {
	w := make(chan frame, 1)
	id := l.last.Add(1)
	l.send(frame{id, body})
	l.mu.Lock()
	l.waiting[id] = w // want `check-then-act: what has the key of l.waiting\[…\] is sent at line 111, and the entry is made here`
	l.mu.Unlock()
	return (<-w).body
}
