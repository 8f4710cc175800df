// Package breaker trips after repeated failures of a dependency.
package breaker

import (
	"errors"
	"sync"
	"time"
)

var ErrOpen = errors.New("breaker: open")

var errPanic = errors.New("breaker: call panicked")

type State int

const (
	Closed State = iota
	Open
	HalfOpen
)

type Breaker struct {
	threshold int
	cooldown  time.Duration
	onChange  func(from, to State)

	mu       sync.Mutex
	state    State
	gen      uint64
	failures int
	probing  bool
	openedAt time.Time
}

func New(threshold int, cooldown time.Duration, onChange func(from, to State)) *Breaker {
	return &Breaker{threshold: threshold, cooldown: cooldown, onChange: onChange}
}

// shift enters state s and starts a new generation; b.mu is held.
func (b *Breaker) shift(s State) {
	from := b.state
	b.state = s
	b.gen++
	b.failures = 0
	b.probing = false
	if s == Open {
		b.openedAt = time.Now()
	}
	if b.onChange != nil && from != s {
		b.onChange(from, s)
	}
}

// admit lets a call through and returns the generation it belongs to.
func (b *Breaker) admit() (uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == Open && time.Since(b.openedAt) >= b.cooldown {
		b.shift(HalfOpen)
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
	return b.gen, nil
}

// settle books the outcome of a call of generation gen.
func (b *Breaker) settle(gen uint64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if gen != b.gen {
		return
	}
	if b.state == HalfOpen {
		if err != nil {
			b.shift(Open)
		} else {
			b.shift(Closed)
		}
		return
	}
	if err == nil {
		b.failures = 0
		return
	}
	b.failures++
	if b.failures >= b.threshold {
		b.shift(Open)
	}
}

// Do runs fn unless the breaker is open.
func (b *Breaker) Do(fn func() error) error {
	gen, err := b.admit()
	if err != nil {
		return err
	}
	err = errPanic
	defer func() { b.settle(gen, err) }()
	err = fn()
	return err
}

// Trip opens the breaker by hand.
func (b *Breaker) Trip() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shift(Open)
}

func (b *Breaker) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}
