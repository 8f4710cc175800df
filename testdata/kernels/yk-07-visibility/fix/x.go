package fix

import (
	"errors"
	"sync"
	"time"
)

var ErrUnknownReceipt = errors.New("unknown receipt")

type Message struct {
	ID       string
	Body     []byte
	Attempts int
}

type delivery struct {
	msg   Message
	timer *time.Timer
	armed int // times the timer was started
}

// Queue hands messages to consumers. A message that is neither acknowledged
// nor extended within the visibility time becomes receivable again.
type Queue struct {
	visible time.Duration

	mu       sync.Mutex
	ready    []Message
	next     uint64
	inflight map[uint64]*delivery
	wake     chan struct{}
}

func NewQueue(visible time.Duration) *Queue {
	return &Queue{
		visible:  visible,
		inflight: make(map[uint64]*delivery),
		wake:     make(chan struct{}, 1),
	}
}

// Wake has a value when there may be messages to receive.
func (q *Queue) Wake() <-chan struct{} { return q.wake }

// push appends to the ready list. The caller holds q.mu.
func (q *Queue) push(m Message) {
	q.ready = append(q.ready, m)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *Queue) Send(id string, body []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.push(Message{ID: id, Body: body})
}

// arm starts the visibility timer of a delivery. The caller holds q.mu.
func (q *Queue) arm(receipt uint64, d *delivery, after time.Duration) {
	d.armed++
	nth := d.armed
	d.timer = time.AfterFunc(after, func() { q.lapse(receipt, nth) })
}

// Receive takes the oldest message and returns a receipt for it.
func (q *Queue) Receive() (Message, uint64, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.ready) == 0 {
		return Message{}, 0, false
	}
	m := q.ready[0]
	q.ready = q.ready[1:]
	m.Attempts++
	q.next++
	d := &delivery{msg: m}
	q.inflight[q.next] = d
	q.arm(q.next, d, q.visible)
	return m, q.next, true
}

// Extend gives the holder of a receipt more time, counted from now.
func (q *Queue) Extend(receipt uint64, by time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	d, ok := q.inflight[receipt]
	if !ok {
		return ErrUnknownReceipt
	}
	d.timer.Stop()
	q.arm(receipt, d, by)
	return nil
}

// Ack removes a message for good.
func (q *Queue) Ack(receipt uint64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	d, ok := q.inflight[receipt]
	if !ok {
		return ErrUnknownReceipt
	}
	d.timer.Stop()
	delete(q.inflight, receipt)
	return nil
}

// lapse makes an unacknowledged message receivable again, unless the timer was
// started anew.
func (q *Queue) lapse(receipt uint64, nth int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	d, ok := q.inflight[receipt]
	if !ok || d.armed != nth {
		return
	}
	delete(q.inflight, receipt)
	q.push(d.msg)
}

// Depth returns the number of ready and of delivered messages.
func (q *Queue) Depth() (ready, inflight int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.ready), len(q.inflight)
}
