// Package a holds the outgoing spool of a mail relay.
package a

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

// ErrUnknown is returned for a message which is not in the spool.
var ErrUnknown = errors.New("spool: no such message")

const maxAttempts = 12

// Message is one queued mail.
type Message struct {
	ID   string
	From string
	To   string
	Body []byte

	attempts  int
	notBefore time.Time
	cancelled bool
}

// Transport hands a mail to the next relay.
type Transport interface {
	Send(ctx context.Context, from, to string, body []byte) error
}

// Spool keeps messages until they are delivered, bounced or cancelled.
type Spool struct {
	tr     Transport
	bounce func(id string, err error)

	mu       sync.Mutex
	active   map[string]*Message
	deferred map[string]*Message
}

// NewSpool returns an empty spool.
func NewSpool(tr Transport, bounce func(string, error)) *Spool {
	return &Spool{
		tr:       tr,
		bounce:   bounce,
		active:   make(map[string]*Message),
		deferred: make(map[string]*Message),
	}
}

// Enqueue accepts a new message for delivery.
func (s *Spool) Enqueue(m *Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deferred[m.ID] = m
}

// Cancel withdraws a message which was not delivered yet.
func (s *Spool) Cancel(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.deferred[id]; ok {
		delete(s.deferred, id)
		return nil
	}
	if m, ok := s.active[id]; ok {
		m.cancelled = true
		return nil
	}
	return ErrUnknown
}

// Run delivers due messages until ctx ends.
func (s *Spool) Run(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, m := range s.due(now) {
				go s.deliver(ctx, m)
			}
		}
	}
}

func (s *Spool) due(now time.Time) []*Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*Message
	for id, m := range s.deferred {
		if m.notBefore.After(now) {
			continue
		}
		delete(s.deferred, id)
		s.active[id] = m
		out = append(out, m)
	}
	return out
}

func (s *Spool) deliver(ctx context.Context, m *Message) {
	err := s.tr.Send(ctx, m.From, m.To, m.Body)
	if err != nil {
		s.retry(m, err)
		return
	}
	s.mu.Lock()
	delete(s.active, m.ID)
	s.mu.Unlock()
	log.Printf("spool: %s delivered to %s", m.ID, m.To)
}

// retry puts a message back for a later attempt, or gives it up.
func (s *Spool) retry(m *Message, cause error) {
	s.mu.Lock()
	delete(s.active, m.ID)
	m.attempts++
	n, cancelled := m.attempts, m.cancelled
	s.mu.Unlock()
	if cancelled {
		return
	}
	if n >= maxAttempts {
		s.bounce(m.ID, cause)
		return
	}

	wait := backoff(n)
	log.Printf("spool: %s attempt %d: %v; next in %s", m.ID, n, cause, wait)
	s.mu.Lock()
	m.notBefore = time.Now().Add(wait)
	s.deferred[m.ID] = m
	s.mu.Unlock()
}

func backoff(n int) time.Duration {
	d := 30 * time.Second << min(n, 8)
	return min(d, 2*time.Hour)
}
