package a

import (
	"context"
	"errors"
	"log"
	"strings"
	"text/template"
	"time"
)

var ErrNotSubscribed = errors.New("list: address is not subscribed")

type Subscriber struct {
	Addr  string
	Name  string
	Since time.Time
}

type Message struct {
	To   string
	Body string
}

type Mailer interface {
	Send(ctx context.Context, m Message) error
}

// List is a mailing list with its queue of outgoing mail.
type List struct {
	mailer Mailer
	sem    chan struct{}

	subs    map[string]Subscriber
	pending []Message
}

func NewList(m Mailer) *List {
	return &List{mailer: m, sem: make(chan struct{}, 1), subs: make(map[string]Subscriber)}
}

// acquire takes the list for exclusive use unless the request is cancelled.
func (l *List) acquire(ctx context.Context) error {
	select {
	case l.sem <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *List) release() { <-l.sem }

func (l *List) Subscribe(ctx context.Context, addr, name string) error {
	if err := l.acquire(ctx); err != nil {
		return err
	}
	defer l.release()
	l.subs[addr] = Subscriber{Addr: addr, Name: name, Since: time.Now()}
	return nil
}

// Unsubscribe removes the address and everything still queued for it.
func (l *List) Unsubscribe(ctx context.Context, addr string) error {
	if err := l.acquire(ctx); err != nil {
		return err
	}
	defer l.release()
	delete(l.subs, addr)
	keep := l.pending[:0]
	for _, m := range l.pending {
		if m.To != addr {
			keep = append(keep, m)
		}
	}
	l.pending = keep
	return nil
}

// Queue renders the template for a subscriber and queues the mail.
func (l *List) Queue(ctx context.Context, addr string, t *template.Template) error {
	if err := l.acquire(ctx); err != nil {
		return err
	}
	sub, ok := l.subs[addr]
	l.release()
	if !ok {
		return ErrNotSubscribed
	}

	var b strings.Builder
	if err := t.Execute(&b, sub); err != nil {
		return err
	}

	if err := l.acquire(ctx); err != nil {
		return err
	}
	defer l.release()
	if _, ok := l.subs[addr]; !ok {
		return ErrNotSubscribed
	}
	l.pending = append(l.pending, Message{To: addr, Body: b.String()})
	return nil
}

func (l *List) pop(ctx context.Context) (m Message, ok bool, err error) {
	if err := l.acquire(ctx); err != nil {
		return m, false, err
	}
	defer l.release()
	if len(l.pending) == 0 {
		return m, false, nil
	}
	m = l.pending[0]
	l.pending = l.pending[1:]
	return m, true, nil
}

// Run sends queued mail until the context ends.
func (l *List) Run(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		m, ok, err := l.pop(ctx)
		if err != nil {
			return err
		}
		if ok {
			if err := l.mailer.Send(ctx, m); err != nil {
				log.Printf("list: %s: %v", m.To, err)
			}
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
