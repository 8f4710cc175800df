// Package amq is a work queue with acknowledgements by delivery tag, in the
// manner of AMQP.
package amq

import (
	"errors"
	"sync"
	"time"
)

// ErrUnknownTag is returned for a delivery that was settled or timed out.
var ErrUnknownTag = errors.New("amq: unknown delivery tag")

// Delivery is a message handed to a consumer.
type Delivery struct {
	Tag         uint64
	Body        []byte
	Redelivered bool
}

type message struct {
	body  []byte
	tries int
}

type pending struct {
	msg   *message
	timer *time.Timer
}

// Queue is safe for concurrent use.
type Queue struct {
	timeout time.Duration

	mu      sync.Mutex
	cond    *sync.Cond
	ready   []*message
	unacked map[uint64]pending
	lastTag uint64
	closed  bool
}

// New returns a queue which redelivers what is not settled within timeout.
func New(timeout time.Duration) *Queue {
	q := &Queue{timeout: timeout, unacked: make(map[uint64]pending)}
	q.cond = sync.NewCond(&q.mu)
	return q
}

// Publish queues a message.
func (q *Queue) Publish(body []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ready = append(q.ready, &message{body: body})
	q.cond.Signal()
}

// Get waits for a message. It returns false once the queue is closed.
func (q *Queue) Get() (Delivery, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ready) == 0 && !q.closed {
		q.cond.Wait()
	}
	if q.closed {
		return Delivery{}, false
	}
	m := q.ready[0]
	q.ready = q.ready[1:]
	m.tries++
	q.lastTag++
	tag := q.lastTag
	q.unacked[tag] = pending{
		msg:   m,
		timer: time.AfterFunc(q.timeout, func() { q.timedOut(tag) }),
	}
	return Delivery{Tag: tag, Body: m.body, Redelivered: m.tries > 1}, true
}

func (q *Queue) timedOut(tag uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p, ok := q.unacked[tag]
	if !ok {
		return
	}
	delete(q.unacked, tag)
	q.ready = append(q.ready, p.msg)
	q.cond.Signal()
}

func (q *Queue) has(tag uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, ok := q.unacked[tag]
	return ok
}

func (q *Queue) settle(tag uint64, requeue bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	p, ok := q.unacked[tag]
	if !ok {
		return ErrUnknownTag
	}
	p.timer.Stop()
	delete(q.unacked, tag)
	if requeue {
		q.ready = append(q.ready, p.msg)
		q.cond.Signal()
	}
	return nil
}

// Ack settles a delivery.
func (q *Queue) Ack(tag uint64) error { return q.settle(tag, false) }

// Reject gives a delivery back to the queue.
func (q *Queue) Reject(tag uint64) error { return q.settle(tag, true) }

// Process runs fn on a delivery and settles it. When the delivery has timed
// out before its turn came, somebody else has it and fn is not run.
func (q *Queue) Process(d Delivery, fn func([]byte) error) error {
	if !q.has(d.Tag) {
		return ErrUnknownTag
	}
	if err := fn(d.Body); err != nil {
		return errors.Join(err, q.Reject(d.Tag))
	}
	return q.Ack(d.Tag)
}

// Close wakes all consumers.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.cond.Broadcast()
}
