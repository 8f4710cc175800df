// Package relay forwards messages from many publishers to one link.
package relay

import (
	"log"
	"sync"
	"sync/atomic"
)

// Link is where the messages go.
type Link interface {
	Write(msg []byte) error
}

// backlog is an unbounded queue.
type backlog struct {
	mu   sync.Mutex
	msgs [][]byte
}

func (q *backlog) push(msg []byte) {
	q.mu.Lock()
	q.msgs = append(q.msgs, msg)
	q.mu.Unlock()
}

// take returns everything that is queued.
func (q *backlog) take() [][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	msgs := q.msgs
	q.msgs = nil
	return msgs
}

func (q *backlog) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.msgs)
}

// Forwarder writes the backlog to the link in one goroutine. Publishers touch
// the channel only when that goroutine is asleep.
type Forwarder struct {
	link Link
	q    backlog

	asleep atomic.Bool
	wake   chan struct{}
	stop   chan struct{}
	done   chan struct{}
}

func NewForwarder(link Link) *Forwarder {
	f := &Forwarder{
		link: link,
		wake: make(chan struct{}, 1),
		stop: make(chan struct{}),
		done: make(chan struct{}),
	}
	go f.run()
	return f
}

// Publish queues a message; it does not wait for the link.
func (f *Forwarder) Publish(msg []byte) {
	f.q.push(msg)
	if f.asleep.CompareAndSwap(true, false) {
		select {
		case f.wake <- struct{}{}:
		default:
		}
	}
}

// Backlog reports how many messages wait for the link.
func (f *Forwarder) Backlog() int { return f.q.size() }

func (f *Forwarder) run() {
	defer close(f.done)
	for {
		msgs := f.q.take()
		for _, m := range msgs {
			if err := f.link.Write(m); err != nil {
				log.Printf("relay: message lost: %v", err)
			}
		}
		if len(msgs) > 0 {
			continue
		}
		if !f.sleep() {
			return
		}
	}
}

// sleep waits for a publisher; it returns false when the forwarder is closed.
func (f *Forwarder) sleep() bool {
	f.asleep.Store(true)
	if f.q.size() > 0 {
		// Came in before the publisher could see that we are asleep.
		f.asleep.Store(false)
		return true
	}
	select {
	case <-f.wake:
		return true
	case <-f.stop:
		return false
	}
}

// Close stops the forwarder; what is still queued is dropped. It must be called
// once.
func (f *Forwarder) Close() {
	close(f.stop)
	<-f.done
}
