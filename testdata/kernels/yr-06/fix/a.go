// Package outbox sends transactional e-mail in the background. No goroutine is
// kept while there is nothing to send.
package outbox

import (
	"log"
	"sync"
	"time"
)

// Mail is a rendered message.
type Mail struct {
	To, Subject string
	Body        []byte
	attempts    int
}

// Transport hands mail to the relay.
type Transport interface {
	Send(m Mail) error
}

const (
	batchSize   = 20
	maxAttempts = 5
)

// Outbox is filled by request handlers.
type Outbox struct {
	transport Transport

	mu      sync.Mutex
	pending []Mail
	sending bool // a drain goroutine is active
}

func New(t Transport) *Outbox {
	return &Outbox{transport: t}
}

// Enqueue accepts a mail for delivery.
func (o *Outbox) Enqueue(m Mail) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending = append(o.pending, m)
	if !o.sending {
		o.sending = true
		go o.drain()
	}
}

// Len returns the number of mails not yet handed to the relay.
func (o *Outbox) Len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pending)
}

// drain sends until the outbox is empty.
func (o *Outbox) drain() {
	for {
		batch := o.nextBatch()
		if len(batch) == 0 {
			return
		}
		for _, m := range batch {
			if err := o.transport.Send(m); err != nil {
				o.retry(m, err)
			}
		}
	}
}

// nextBatch takes the next mails; when there are none the drain is over.
func (o *Outbox) nextBatch() []Mail {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.pending) == 0 {
		o.sending = false
		return nil
	}
	n := min(batchSize, len(o.pending))
	batch := append([]Mail(nil), o.pending[:n]...)
	o.pending = o.pending[n:]
	return batch
}

// retry puts the mail back to the end of the queue.
func (o *Outbox) retry(m Mail, cause error) {
	m.attempts++
	if m.attempts >= maxAttempts {
		log.Printf("outbox: giving up on %s: %v", m.To, cause)
		return
	}
	time.Sleep(time.Duration(m.attempts) * 100 * time.Millisecond)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending = append(o.pending, m)
}
