// Package pace sends mail through a pool of workers without exceeding the
// rate that each receiving domain accepts.
package pace

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ErrDeferred is returned by a transport when the receiver answers 4xx.
var ErrDeferred = errors.New("pace: deferred by receiver")

// Message is a mail that is ready to be sent.
type Message struct {
	To   string
	Body []byte
}

// Transport delivers one message.
type Transport interface {
	Deliver(ctx context.Context, m Message) error
}

// pacer hands out the points in time at which a domain may be contacted.
type pacer struct {
	interval int64        // nanoseconds between two messages
	next     atomic.Int64 // first free point in time
}

// reserve takes the next free point in time and returns how long to wait for it.
func (p *pacer) reserve(now time.Time) time.Duration {
	at := max(p.next.Load(), now.UnixNano())
	p.next.Store(at + p.interval)
	return time.Duration(at - now.UnixNano())
}

// hold lets reserve hand out nothing before the given time.
func (p *pacer) hold(until time.Time) {
	for {
		next := p.next.Load()
		if next >= until.UnixNano() || p.next.CompareAndSwap(next, until.UnixNano()) {
			return
		}
	}
}

// Sender is a pool of workers. It is safe for concurrent use.
type Sender struct {
	transport Transport
	interval  time.Duration
	backoff   time.Duration
	domains   sync.Map // domain -> *pacer
	failed    atomic.Int64
}

// NewSender returns a sender that contacts a domain once per interval. After a
// deferral no further message is scheduled for backoff; those that a worker has
// already scheduled still go out at their time.
func NewSender(t Transport, interval, backoff time.Duration) *Sender {
	return &Sender{transport: t, interval: interval, backoff: backoff}
}

// Run sends the messages of the queue with the given number of workers. It
// returns when the queue has been closed and emptied, or ctx is done.
func (s *Sender) Run(ctx context.Context, queue <-chan Message, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case m, ok := <-queue:
					if !ok {
						return
					}
					s.send(ctx, m)
				}
			}
		})
	}
	wg.Wait()
}

// Failed returns the number of messages that could not be delivered.
func (s *Sender) Failed() int64 { return s.failed.Load() }

func (s *Sender) pacerFor(addr string) *pacer {
	domain := strings.ToLower(addr[strings.LastIndexByte(addr, '@')+1:])
	if v, ok := s.domains.Load(domain); ok {
		return v.(*pacer)
	}
	v, _ := s.domains.LoadOrStore(domain, &pacer{interval: s.interval.Nanoseconds()})
	return v.(*pacer)
}

func (s *Sender) send(ctx context.Context, m Message) {
	p := s.pacerFor(m.To)
	for {
		timer := time.NewTimer(p.reserve(time.Now()))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			s.failed.Add(1)
			return
		}
		err := s.transport.Deliver(ctx, m)
		if errors.Is(err, ErrDeferred) {
			p.hold(time.Now().Add(s.backoff))
			continue
		}
		if err != nil {
			s.failed.Add(1)
			slog.Warn("pace: delivery failed", "to", m.To, "err", err)
		}
		return
	}
}
