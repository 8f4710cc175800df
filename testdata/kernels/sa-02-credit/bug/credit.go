// Package credit does flow control for the consumers of a message broker.
package credit

import (
	"errors"
	"sync"
	"time"
)

// ErrNoConsumer is returned for a consumer that is not attached.
var ErrNoConsumer = errors.New("credit: no such consumer")

// Usage is the credit that a consumer has in use.
type Usage struct {
	Inflight int
	Bytes    int64
	LastAck  time.Time
}

// Delivery is one message on its way to a consumer.
type Delivery struct {
	Consumer string
	Tag      uint64
	Size     int64
}

// Controller limits the unacknowledged messages of each consumer.
type Controller struct {
	prefetch int
	maxBytes int64

	mu    sync.Mutex
	usage map[string]Usage
}

// New returns a controller that allows prefetch messages and maxBytes bytes to
// be outstanding for each consumer.
func New(prefetch int, maxBytes int64) *Controller {
	return &Controller{prefetch: prefetch, maxBytes: maxBytes, usage: make(map[string]Usage)}
}

// Attach starts the accounting for a consumer.
func (c *Controller) Attach(consumer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.usage[consumer]; !ok {
		c.usage[consumer] = Usage{LastAck: time.Now()}
	}
}

// Usage reports what a consumer has in use.
func (c *Controller) Usage(consumer string) (Usage, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, ok := c.usage[consumer]
	return u, ok
}

func (c *Controller) store(consumer string, u Usage) {
	c.mu.Lock()
	c.usage[consumer] = u
	c.mu.Unlock()
}

// Reserve takes credit for a delivery. It reports false if the consumer must
// first acknowledge something.
func (c *Controller) Reserve(d Delivery) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, ok := c.usage[d.Consumer]
	if !ok {
		return false, ErrNoConsumer
	}
	if u.Inflight >= c.prefetch || (u.Inflight > 0 && u.Bytes+d.Size > c.maxBytes) {
		return false, nil
	}
	u.Inflight++
	u.Bytes += d.Size
	c.usage[d.Consumer] = u
	return true, nil
}

// Ack gives the credit of a delivery back.
func (c *Controller) Ack(d Delivery) error {
	u, ok := c.Usage(d.Consumer)
	if !ok {
		return ErrNoConsumer
	}
	u.Inflight--
	u.Bytes -= d.Size
	u.LastAck = time.Now()
	c.store(d.Consumer, u)
	return nil
}

// Stalled lists the consumers that have messages and were silent for d.
func (c *Controller) Stalled(d time.Duration) []string {
	limit := time.Now().Add(-d)
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for name, u := range c.usage {
		if u.Inflight > 0 && u.LastAck.Before(limit) {
			out = append(out, name)
		}
	}
	return out
}

// Pump hands the deliveries from in to send as far as there is credit, and
// takes acknowledgements from acks on a goroutine of its own. Deliveries
// without credit go to requeue. It returns when in is closed.
func (c *Controller) Pump(in, acks <-chan Delivery, send, requeue func(Delivery)) {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case d, ok := <-acks:
				if !ok {
					return
				}
				_ = c.Ack(d)
			case <-done:
				return
			}
		}
	}()
	defer close(done)
	for d := range in {
		if ok, err := c.Reserve(d); err == nil && ok {
			send(d)
		} else {
			requeue(d)
		}
	}
}
