package a

import (
	"errors"
	"sync/atomic"
	"time"
)

// ErrOpen is returned while calls are being rejected.
var ErrOpen = errors.New("breaker: open")

type mode int

const (
	closed mode = iota
	open
	halfOpen
)

// state is one immutable state of a breaker. The epoch grows whenever the
// mode changes.
type state struct {
	mode     mode
	epoch    uint64
	failures int
	until    time.Time
}

// Breaker stops calls to a dependency that keeps failing. After the cooldown
// a single probe is let through; its outcome decides how to go on.
type Breaker struct {
	cur       atomic.Pointer[state]
	threshold int
	cooldown  time.Duration
	now       func() time.Time
}

// NewBreaker makes a closed breaker.
func NewBreaker(threshold int, cooldown time.Duration) *Breaker {
	b := &Breaker{threshold: threshold, cooldown: cooldown, now: time.Now}
	b.cur.Store(&state{mode: closed})
	return b
}

// Ticket stands for a call that was let through. Done must be called once.
type Ticket struct {
	b     *Breaker
	epoch uint64
}

// verdict is what the breaker thinks of a call.
type verdict struct {
	from  *state
	to    *state // the state to enter, nil to stay
	allow bool
}

// judge decides on a call at the given time.
func (b *Breaker) judge(now time.Time) verdict {
	s := b.cur.Load()
	switch {
	case s.mode == closed:
		return verdict{from: s, allow: true}
	case s.mode == open && !now.Before(s.until):
		probe := &state{mode: halfOpen, epoch: s.epoch + 1}
		return verdict{from: s, to: probe, allow: true}
	}
	return verdict{from: s}
}

// Allow asks for permission to call the dependency.
func (b *Breaker) Allow() (*Ticket, error) {
	for {
		v := b.judge(b.now())
		if !v.allow {
			return nil, ErrOpen
		}
		if v.to == nil {
			return &Ticket{b: b, epoch: v.from.epoch}, nil
		}
		if b.cur.CompareAndSwap(v.from, v.to) {
			return &Ticket{b: b, epoch: v.to.epoch}, nil
		}
	}
}

// Done reports the outcome of a call. Outcomes of calls from an earlier
// epoch do not count.
func (t *Ticket) Done(ok bool) {
	b := t.b
	for {
		s := b.cur.Load()
		if s.epoch != t.epoch {
			return
		}
		if b.cur.CompareAndSwap(s, b.after(s, ok)) {
			return
		}
	}
}

// after returns the state that follows s when a call ends.
func (b *Breaker) after(s *state, ok bool) *state {
	if ok {
		if s.mode == halfOpen {
			return &state{mode: closed, epoch: s.epoch + 1}
		}
		return &state{mode: s.mode, epoch: s.epoch}
	}
	if s.mode == halfOpen || s.failures+1 >= b.threshold {
		return &state{mode: open, epoch: s.epoch + 1, until: b.now().Add(b.cooldown)}
	}
	return &state{mode: s.mode, epoch: s.epoch, failures: s.failures + 1}
}

// Rejecting says whether calls are being turned away.
func (b *Breaker) Rejecting() bool {
	return !b.judge(b.now()).allow
}
