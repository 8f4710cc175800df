// Correct: the flushing mark is set in the critical section that finds it unset,
// so only one goroutine sends at a time, and what it puts back after a failure
// goes before what was added meanwhile. The mark is cleared in the section that
// finds the outbox empty (or after a failure), so no message is overlooked.

// Package ok sends messages in batches, in order.
package ok

import (
	"sync"
	"time"
)

type Message struct {
	Topic string
	Body  []byte
}

// Outbox collects messages for a remote.
type Outbox struct {
	send  func([]Message) error
	batch int
	retry time.Duration

	mu       sync.Mutex
	queue    []Message
	flushing bool
	sent     int
	lastErr  error
}

func New(batch int, retry time.Duration, send func([]Message) error) *Outbox {
	return &Outbox{send: send, batch: batch, retry: retry}
}

// Post queues a message and sees to it that it is sent.
func (o *Outbox) Post(m Message) {
	o.mu.Lock()
	o.queue = append(o.queue, m)
	o.mu.Unlock()
	go o.Flush()
}

// claim makes the caller the one who sends.
func (o *Outbox) claim() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.flushing || len(o.queue) == 0 {
		return false
	}
	o.flushing = true
	return true
}

// next takes a batch, or gives the claim up when there is nothing left.
func (o *Outbox) next() []Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := min(o.batch, len(o.queue))
	if n == 0 {
		o.flushing = false
		return nil
	}
	b := o.queue[:n:n]
	o.queue = o.queue[n:]
	return b
}

func (o *Outbox) succeeded(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent += n
	o.lastErr = nil
}

func (o *Outbox) failed(b []Message, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = append(b, o.queue...)
	o.lastErr = err
	o.flushing = false
	time.AfterFunc(o.retry, o.Flush)
}

// Flush sends all queued messages unless somebody is doing so already.
func (o *Outbox) Flush() {
	if !o.claim() {
		return
	}
	for {
		b := o.next()
		if b == nil {
			return
		}
		if err := o.send(b); err != nil {
			o.failed(b, err)
			return
		}
		o.succeeded(len(b))
	}
}

// Stats returns the numbers of queued and sent messages and the last error.
func (o *Outbox) Stats() (queued, sent int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue), o.sent, o.lastErr
}
