package a

import (
	"errors"
	"sync"
	"time"
)

// ErrShut is returned by Add after Close.
var ErrShut = errors.New("outbox: closed")

// Mail is one message to be sent.
type Mail struct {
	To, Subject, Body string
}

// Outbox sends mails in order and retries the first one until it is through.
type Outbox struct {
	send  func(Mail) error
	pause time.Duration

	mu     sync.Mutex
	queue  []Mail
	closed bool

	wake chan struct{}
	quit chan struct{}
	done chan struct{}
}

// NewOutbox starts the sender.
func NewOutbox(send func(Mail) error, pause time.Duration) *Outbox {
	o := &Outbox{
		send:  send,
		pause: pause,
		wake:  make(chan struct{}, 1),
		quit:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	go o.run()
	return o
}

// Add puts a mail at the end of the queue.
func (o *Outbox) Add(m Mail) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return ErrShut
	}
	o.queue = append(o.queue, m)
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return nil
}

func (o *Outbox) head() (Mail, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		return Mail{}, false
	}
	return o.queue[0], true
}

func (o *Outbox) drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = o.queue[1:]
}

// run is the only consumer of the queue.
func (o *Outbox) run() {
	defer close(o.done)
	for {
		select {
		case <-o.quit:
			return
		default:
		}
		m, ok := o.head()
		if !ok {
			select {
			case <-o.wake:
			case <-o.quit:
			}
			continue
		}
		if err := o.send(m); err != nil {
			select {
			case <-time.After(o.pause):
			case <-o.quit:
			}
			continue
		}
		o.drop()
	}
}

// Close stops the sender and returns the mails that were not sent.
func (o *Outbox) Close() []Mail {
	o.mu.Lock()
	if !o.closed {
		o.closed = true
		close(o.quit)
	}
	o.mu.Unlock()
	<-o.done

	o.mu.Lock()
	defer o.mu.Unlock()
	rest := o.queue
	o.queue = nil
	return rest
}
