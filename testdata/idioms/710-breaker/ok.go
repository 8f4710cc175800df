// Package breaker guards backends and checks their health.
package breaker

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrOpen is returned while a backend rests.
var ErrOpen = errors.New("breaker: open")

// State of a breaker.
type State int

// The states.
const (
	Closed State = iota
	Open
	HalfOpen
)

// Breaker is for one backend.
type Breaker struct {
	Name      string
	threshold int
	rest      time.Duration
	probes    int

	mu      sync.Mutex
	state   State
	gen     uint64
	until   time.Time
	errs    int
	started int
	good    int
}

// New returns a closed breaker.
func New(name string, threshold, probes int, rest time.Duration) *Breaker {
	return &Breaker{Name: name, threshold: threshold, probes: probes, rest: rest}
}

// enter is called with b.mu held.
func (b *Breaker) enter(s State, now time.Time) {
	b.state = s
	b.gen++
	b.errs, b.started, b.good = 0, 0, 0
	if s == Open {
		b.until = now.Add(b.rest)
	}
}

// settle moves on from Open when the rest is over; it is called with b.mu held.
func (b *Breaker) settle(now time.Time) State {
	if b.state == Open && !now.Before(b.until) {
		b.enter(HalfOpen, now)
	}
	return b.state
}

func (b *Breaker) before(now time.Time) (uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.settle(now) {
	case Open:
		return 0, ErrOpen
	case HalfOpen:
		if b.started >= b.probes {
			return 0, ErrOpen
		}
		b.started++
	}
	return b.gen, nil
}

func (b *Breaker) after(gen uint64, ok bool, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if gen != b.gen {
		return
	}
	switch {
	case b.state == HalfOpen && !ok:
		b.enter(Open, now)
	case b.state == HalfOpen:
		if b.good++; b.good >= b.probes {
			b.enter(Closed, now)
		}
	case ok:
		b.errs = 0
	default:
		if b.errs++; b.errs >= b.threshold {
			b.enter(Open, now)
		}
	}
}

// Call runs fn unless the backend rests.
func (b *Breaker) Call(ctx context.Context, fn func(context.Context) error) error {
	gen, err := b.before(time.Now())
	if err != nil {
		return err
	}
	ok := false
	defer func() { b.after(gen, ok, time.Now()) }()
	err = fn(ctx)
	ok = err == nil
	return err
}

// View returns state and generation.
func (b *Breaker) View() (State, uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state, b.gen
}

// Ready reports whether a call would probably pass.
func (b *Breaker) Ready() bool {
	s, _ := b.View()
	return s != Open
}

// trip opens the breaker if nothing happened since gen.
func (b *Breaker) trip(gen uint64, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gen != gen || b.state == Open {
		return false
	}
	b.enter(Open, now)
	return true
}

// Choose returns a breaker which is ready, the first one if none is.
func Choose(bs []*Breaker) *Breaker {
	for _, b := range bs {
		if b.Ready() {
			return b
		}
	}
	return bs[0]
}

// Watch pings closed backends until ctx is done and trips those which do not answer.
func Watch(ctx context.Context, bs []*Breaker, every time.Duration, ping func(ctx context.Context, name string) error) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		var wg sync.WaitGroup
		for _, b := range bs {
			state, gen := b.View()
			if state != Closed {
				continue
			}
			wg.Go(func() {
				pctx, cancel := context.WithTimeout(ctx, every)
				defer cancel()
				if err := ping(pctx, b.Name); err != nil && ctx.Err() == nil {
					b.trip(gen, time.Now())
				}
			})
		}
		wg.Wait()
	}
}
