package mailer

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Errors of Enqueue.
var (
	ErrStopped = errors.New("mailer: stopped")
	ErrFull    = errors.New("mailer: queue full")
)

// Mail is one message.
type Mail struct {
	ID      string
	To      []string
	Subject string
	Body    []byte
}

// Spool keeps mails that could not be sent in time.
type Spool interface {
	Save(m Mail) error
}

// Transport sends mails.
type Transport interface {
	Send(ctx context.Context, m Mail) error
}

// Queue sends mails in the background. What is left at the end goes to the
// spool.
type Queue struct {
	tr    Transport
	spool Spool

	mails   chan Mail
	stopped atomic.Bool
	cancel  context.CancelFunc
	wg      sync.WaitGroup
}

// Start returns a queue with the given number of senders.
func Start(tr Transport, sp Spool, size, senders int) *Queue {
	ctx, cancel := context.WithCancel(context.Background())
	q := &Queue{tr: tr, spool: sp, mails: make(chan Mail, size), cancel: cancel}
	for range senders {
		q.wg.Go(func() { q.sender(ctx) })
	}
	return q
}

func (q *Queue) sender(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-q.mails:
			q.sendOne(ctx, m)
		}
	}
}

func (q *Queue) sendOne(ctx context.Context, m Mail) {
	sctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := q.tr.Send(sctx, m); err != nil {
		slog.Warn("mailer: send", "mail", m.ID, "err", err)
		q.save(m)
	}
}

func (q *Queue) save(m Mail) {
	if err := q.spool.Save(m); err != nil {
		slog.Error("mailer: mail lost", "mail", m.ID, "to", m.To, "err", err)
	}
}

func (q *Queue) spoolRest() {
	for {
		select {
		case m := <-q.mails:
			q.save(m)
		default:
			return
		}
	}
}

// Enqueue takes a mail.
func (q *Queue) Enqueue(m Mail) error {
	if q.stopped.Load() {
		return ErrStopped
	}
	select {
	case q.mails <- m:
	default:
		return ErrFull
	}
	if q.stopped.Load() {
		q.spoolRest()
	}
	return nil
}

// Stop ends the senders and spools what they have not sent.
func (q *Queue) Stop() {
	q.stopped.Store(true)
	q.cancel()
	q.wg.Wait()
	q.spoolRest()
}

// Len returns the number of mails that wait.
func (q *Queue) Len() int { return len(q.mails) }
