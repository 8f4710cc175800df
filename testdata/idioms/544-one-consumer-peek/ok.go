// Package outbox delivers letters one after the other.
package outbox

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrClosed = errors.New("outbox: closed")
	ErrFull   = errors.New("outbox: full")
)

// Letter is a text for somebody.
type Letter struct {
	To   string
	Text string
}

// Deliver brings a letter. The context is done when the outbox is closed.
type Deliver func(ctx context.Context, l Letter) error

// Stats are the numbers of letters since the start.
type Stats struct {
	Waiting   int // with the one that is being delivered
	Started   int
	Delivered int
	Failed    int
}

// Outbox keeps letters until they are delivered.
type Outbox struct {
	deliver Deliver
	limit   int

	mu      sync.Mutex
	changed *sync.Cond // of mu
	letters []Letter   // taken from the front by run, and by nobody else
	stats   Stats
	closed  bool

	resume chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
}

// New starts an outbox with room for limit letters.
func New(limit int, deliver Deliver) *Outbox {
	o := &Outbox{
		deliver: deliver,
		limit:   limit,
		resume:  make(chan struct{}, 1),
		done:    make(chan struct{}),
	}
	o.changed = sync.NewCond(&o.mu)
	o.ctx, o.cancel = context.WithCancel(context.Background())
	go o.run()
	return o
}

// Send adds a letter.
func (o *Outbox) Send(l Letter) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return ErrClosed
	}
	if len(o.letters) >= o.limit {
		return ErrFull
	}
	if len(o.letters) == 0 {
		select {
		case o.resume <- struct{}{}:
		default:
		}
	}
	o.letters = append(o.letters, l)
	return nil
}

// run is the goroutine that delivers. A letter stays at the front while it is
// delivered, so that it counts as waiting.
func (o *Outbox) run() {
	defer close(o.done)
	for {
		var (
			l  Letter
			ok bool
		)
		o.mu.Lock()
		if len(o.letters) != 0 {
			l, ok = o.letters[0], true
			o.stats.Started++
		}
		o.mu.Unlock()

		if !ok {
			select {
			case <-o.resume:
				continue
			case <-o.ctx.Done():
				return
			}
		}

		err := o.deliver(o.ctx, l)

		o.mu.Lock()
		o.letters = o.letters[1:]
		if err != nil {
			o.stats.Failed++
		} else {
			o.stats.Delivered++
		}
		o.changed.Broadcast()
		o.mu.Unlock()

		if o.ctx.Err() != nil {
			return
		}
	}
}

// Stats returns the present numbers.
func (o *Outbox) Stats() Stats {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.stats
	s.Waiting = len(o.letters)
	return s
}

// Flush waits until no letter is waiting. It fails when the outbox is closed.
func (o *Outbox) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.letters) != 0 && !o.closed {
		o.changed.Wait()
	}
	if o.closed {
		return ErrClosed
	}
	return nil
}

// Close ends the outbox and returns the letters that were not tried.
func (o *Outbox) Close() []Letter {
	o.mu.Lock()
	o.closed = true
	o.cancel()
	o.changed.Broadcast()
	o.mu.Unlock()
	<-o.done

	o.mu.Lock()
	defer o.mu.Unlock()
	rest := o.letters
	o.letters = nil
	return rest
}
