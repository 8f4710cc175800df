// Package breaker is a circuit breaker for calls to a backend. It opens when
// too many of the recent calls have failed.
package breaker

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrOpen is returned for calls that are not allowed.
var ErrOpen = errors.New("breaker: circuit is open")

// State says which calls are allowed.
type State int

// States of a breaker.
const (
	Closed   State = iota // all
	Open                  // none
	HalfOpen              // one
)

type bucket struct {
	calls    int
	failures int
}

// window counts the calls of the last few seconds in a ring of buckets.
type window struct {
	mu      sync.Mutex
	buckets []bucket
	pos     int
}

func newWindow(n int) *window { return &window{buckets: make([]bucket, n)} }

// record counts a call in the current bucket.
func (w *window) record(ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := &w.buckets[w.pos]
	b.calls++
	if !ok {
		b.failures++
	}
}

// advance starts a new bucket in place of the oldest one.
func (w *window) advance() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pos = (w.pos + 1) % len(w.buckets)
	w.buckets[w.pos] = bucket{}
}

// reset empties the window.
func (w *window) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.buckets)
}

// totals returns the number of calls in the window and how many of them
// failed.
func (w *window) totals() (calls, failures int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.buckets {
		calls += b.calls
		failures += b.failures
	}
	return calls, failures
}

// Config tunes a breaker.
type Config struct {
	MinCalls int           // calls in the window before it can open
	Ratio    float64       // share of failures that opens it
	Buckets  int           // buckets of the window
	Step     time.Duration // time of one bucket
	CoolDown time.Duration // time it stays open
}

// Breaker guards one backend. It is safe for concurrent use.
type Breaker struct {
	cfg    Config
	recent *window

	mu      sync.Mutex
	state   State
	epoch   uint64 // changes with the state
	until   time.Time
	probing bool
}

// New returns a closed breaker.
func New(cfg Config) *Breaker {
	return &Breaker{cfg: cfg, recent: newWindow(cfg.Buckets)}
}

// Run moves the window along until ctx is done.
func (b *Breaker) Run(ctx context.Context) {
	tick := time.NewTicker(b.cfg.Step)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			b.recent.advance()
		}
	}
}

// State returns the current state.
func (b *Breaker) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

// Do makes a call if it is allowed and takes its result into account.
func (b *Breaker) Do(call func() error) error {
	epoch, err := b.admit(time.Now())
	if err != nil {
		return err
	}
	err = call()
	b.report(epoch, err == nil)
	return err
}

// admit returns the epoch in which a call is made.
func (b *Breaker) admit(now time.Time) (uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == Open && now.After(b.until) {
		b.enter(HalfOpen)
	}
	switch b.state {
	case Open:
		return 0, ErrOpen
	case HalfOpen:
		if b.probing {
			return 0, ErrOpen
		}
		b.probing = true
	}
	return b.epoch, nil
}

// report takes the result of a call into account. Results of calls that were
// made in an earlier epoch say nothing about this one.
func (b *Breaker) report(epoch uint64, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if epoch != b.epoch {
		return
	}
	switch {
	case b.state == HalfOpen && ok:
		b.enter(Closed)
	case b.state == HalfOpen:
		b.enter(Open)
	default:
		b.recent.record(ok)
		if !ok && b.tooManyFailures() {
			b.enter(Open)
		}
	}
}

// tooManyFailures reports whether the breaker has to open.
func (b *Breaker) tooManyFailures() bool {
	total, failed := b.recent.totals()
	return failed > 0 && total >= b.cfg.MinCalls && float64(failed) >= b.cfg.Ratio*float64(total)
}

// enter changes the state. The caller holds b.mu.
func (b *Breaker) enter(s State) {
	b.state = s
	b.epoch++
	b.probing = false
	switch s {
	case Open:
		b.until = time.Now().Add(b.cfg.CoolDown)
	case Closed:
		b.recent.reset()
	}
}
