// Package broker delivers letters to the mailboxes of subscribers.
package broker

import (
	"sync"
	"sync/atomic"
)

// Letter is a message with a subject.
type Letter struct {
	Subject string
	Body    []byte
}

// Mailbox is where one subscriber finds its letters.
type Mailbox struct {
	letters chan Letter
	lost    atomic.Int64
}

// C returns the channel to read from.
func (m *Mailbox) C() <-chan Letter { return m.letters }

// Lost returns how many letters did not fit in.
func (m *Mailbox) Lost() int64 { return m.lost.Load() }

// post never waits for the subscriber, who may be slow or gone.
func (m *Mailbox) post(l Letter) bool {
	if len(m.letters) == cap(m.letters) {
		m.lost.Add(1)
		return false
	}
	m.letters <- l
	return true
}

// Broker knows who wants which letters.
type Broker struct {
	size int

	mu   sync.RWMutex
	subs map[string]map[*Mailbox]struct{}
}

// New returns a broker whose mailboxes have room for size letters.
func New(size int) *Broker {
	return &Broker{size: size, subs: make(map[string]map[*Mailbox]struct{})}
}

// Subscribe returns a mailbox for all letters with a subject.
func (b *Broker) Subscribe(subject string) *Mailbox {
	m := &Mailbox{letters: make(chan Letter, b.size)}
	b.mu.Lock()
	defer b.mu.Unlock()
	boxes := b.subs[subject]
	if boxes == nil {
		boxes = make(map[*Mailbox]struct{})
		b.subs[subject] = boxes
	}
	boxes[m] = struct{}{}
	return m
}

// Unsubscribe stops the delivery to a mailbox.
func (b *Broker) Unsubscribe(subject string, m *Mailbox) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.subs[subject], m)
	if len(b.subs[subject]) == 0 {
		delete(b.subs, subject)
	}
}

// Publish delivers a letter, and returns how many mailboxes took it. Any
// number of goroutines may publish.
func (b *Broker) Publish(l Letter) (n int) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for m := range b.subs[l.Subject] {
		if m.post(l) {
			n++
		}
	}
	return n
}
