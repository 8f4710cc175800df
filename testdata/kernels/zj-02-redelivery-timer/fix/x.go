// Package ackq is a small in-memory queue with acknowledgements. A message
// that is not acknowledged within the visibility timeout is delivered again.
package ackq

import (
	"errors"
	"sync"
	"time"
)

// ErrExpired is returned by Ack and Nack when the delivery is no longer the
// current one of its message.
var ErrExpired = errors.New("ackq: delivery expired")

// Message is a queued message.
type Message struct {
	ID       uint64
	Body     []byte
	Attempts int
}

// Delivery is a message handed to one consumer.
type Delivery struct {
	Message
	q     *Queue
	timer *time.Timer
}

// Queue is safe for use by many producers and consumers.
type Queue struct {
	visibility  time.Duration
	maxAttempts int
	dead        func(Message)

	mu       sync.Mutex
	nextID   uint64
	ready    []Message
	inflight map[uint64]*Delivery
}

// New returns an empty queue. dead, which may be nil, gets the messages which
// failed maxAttempts times.
func New(visibility time.Duration, maxAttempts int, dead func(Message)) *Queue {
	return &Queue{
		visibility:  visibility,
		maxAttempts: maxAttempts,
		dead:        dead,
		inflight:    make(map[uint64]*Delivery),
	}
}

// Send queues body and returns the ID of the message.
func (q *Queue) Send(body []byte) uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.nextID++
	q.ready = append(q.ready, Message{ID: q.nextID, Body: body})
	return q.nextID
}

// Receive hands out the oldest ready message, or returns nil.
func (q *Queue) Receive() *Delivery {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.ready) == 0 {
		return nil
	}
	m := q.ready[0]
	q.ready = q.ready[1:]
	m.Attempts++
	d := &Delivery{Message: m, q: q}
	q.inflight[m.ID] = d
	d.timer = time.AfterFunc(q.visibility, func() { q.expire(d) })
	return d
}

// expire runs when the consumer did not answer in time.
func (q *Queue) expire(d *Delivery) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.inflight[d.ID] != d {
		return // acknowledged or delivered anew meanwhile
	}
	delete(q.inflight, d.ID)
	q.requeueLocked(d.Message)
}

// Ack removes the message for good.
func (d *Delivery) Ack() error {
	q := d.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.inflight[d.ID] != d {
		return ErrExpired
	}
	d.timer.Stop()
	delete(q.inflight, d.ID)
	return nil
}

// Nack gives the message back for immediate redelivery.
func (d *Delivery) Nack() error {
	q := d.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.inflight[d.ID] != d {
		return ErrExpired
	}
	d.timer.Stop()
	delete(q.inflight, d.ID)
	q.requeueLocked(d.Message)
	return nil
}

func (q *Queue) requeueLocked(m Message) {
	if m.Attempts >= q.maxAttempts {
		if q.dead != nil {
			go q.dead(m)
		}
		return
	}
	q.ready = append(q.ready, m)
}

// Depth returns the number of ready and of unacknowledged messages.
func (q *Queue) Depth() (ready, inflight int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.ready), len(q.inflight)
}
