// Package digest collects the posts of mailing lists and mails them in digests.
package digest

import (
	"context"
	"errors"
	"log"
	"slices"
	"sync"
	"time"
)

// Errors of lists.
var (
	ErrRetired     = errors.New("digest: list is retired")
	ErrOutstanding = errors.New("digest: messages outstanding")
	ErrNoMessage   = errors.New("digest: no such message")
)

// Message is one post.
type Message struct {
	ID      string
	From    string
	Subject string
	Body    string
}

// Issue is one digest.
type Issue struct {
	List     string
	No       int
	Messages []Message
	To       []string
}

// Mailer sends digests.
type Mailer interface {
	Send(ctx context.Context, is Issue) error
}

// List is one mailing list.
type List struct {
	name string
	mail Mailer
	mu   *sync.Mutex

	trusted map[string]bool
	members []string
	held    map[string]Message
	pending []Message
	issue   int
	retired bool

	sending *sync.Mutex
}

// NewList returns a list without members.
func NewList(name string, mail Mailer) *List {
	return &List{
		name: name, mail: mail,
		mu: new(sync.Mutex), sending: new(sync.Mutex),
		trusted: make(map[string]bool),
		held:    make(map[string]Message),
	}
}

// Subscribe adds a member.
func (l *List) Subscribe(addr string, trusted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trusted[addr] = trusted
	if !slices.Contains(l.members, addr) {
		l.members = append(l.members, addr)
	}
}

// Post takes a message in; those of strangers wait for a moderator.
func (l *List) Post(m Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.retired {
		return ErrRetired
	}
	if l.trusted[m.From] {
		l.pending = append(l.pending, m)
		return nil
	}
	l.held[m.ID] = m
	return nil
}

func (l *List) takeHeld(id string) (Message, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := l.held[id]
	delete(l.held, id)
	return m, ok
}

func (l *List) queue(m Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = append(l.pending, m)
}

// Approve lets a held message into the next digest.
func (l *List) Approve(id string) error {
	m, ok := l.takeHeld(id)
	if !ok {
		return ErrNoMessage
	}
	l.queue(m)
	return nil
}

// Reject drops a held message.
func (l *List) Reject(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, id)
}

// Retire ends a list which has nothing outstanding.
func (l *List) Retire() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.held)+len(l.pending) > 0 {
		return ErrOutstanding
	}
	l.retired = true
	return nil
}

// Publish sends what is pending; messages stay pending when the mail fails.
func (l *List) Publish(ctx context.Context) error {
	l.sending.Lock()
	defer l.sending.Unlock()

	l.mu.Lock()
	is := Issue{List: l.name, No: l.issue + 1, Messages: slices.Clone(l.pending), To: slices.Clone(l.members)}
	stop := l.retired || len(is.Messages) == 0 || len(is.To) == 0
	l.mu.Unlock()
	if stop {
		return nil
	}
	if err := l.mail.Send(ctx, is); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = slices.Clone(l.pending[len(is.Messages):])
	l.issue = is.No
	return nil
}

// Run publishes until ctx is done.
func (l *List) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := l.Publish(ctx); err != nil {
				log.Printf("digest: %s: %v", l.name, err)
			}
		}
	}
}

// Backlog returns the sizes of the moderation queue and of the next digest.
func (l *List) Backlog() (held, pending int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.held), len(l.pending)
}
