// Package ok tells the state of a link and lets callers wait for changes.
package ok

import (
	"context"
	"errors"
	"sync"
	"time"
)

// State is the state of the link.
type State int

// The states.
const (
	Idle State = iota
	Dialing
	Up
	Failed
	Closed
)

func (s State) String() string {
	return [...]string{"idle", "dialing", "up", "failed", "closed"}[s]
}

// tracker holds the state.
type tracker struct {
	mu      sync.Mutex
	state   State
	changed chan struct{}
	history []State
}

func (t *tracker) set(s State) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state == Closed || t.state == s {
		return false
	}
	t.state = s
	t.history = append(t.history, s)
	if t.changed != nil {
		// There are waiters.
		close(t.changed)
		t.changed = nil
	}
	return true
}

func (t *tracker) get() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

func (t *tracker) changeC() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return t.changed
}

// Link is a connection that is dialed when it is used.
type Link struct {
	dial    func(ctx context.Context) error
	tracker tracker

	ctx    context.Context
	cancel func()
	kick   chan struct{}
}

// NewLink returns an idle link.
func NewLink(dial func(ctx context.Context) error) *Link {
	l := &Link{dial: dial, kick: make(chan struct{}, 1)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	go l.loop()
	return l
}

func (l *Link) loop() {
	for {
		select {
		case <-l.kick:
		case <-l.ctx.Done():
			return
		}
		if l.tracker.get() == Up {
			continue
		}
		l.tracker.set(Dialing)
		ctx, cancel := context.WithTimeout(l.ctx, 20*time.Second)
		err := l.dial(ctx)
		cancel()
		if err != nil {
			l.tracker.set(Failed)
		} else {
			l.tracker.set(Up)
		}
	}
}

// Connect starts dialing if the link is not up.
func (l *Link) Connect() {
	if l.tracker.get() == Up {
		return
	}
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// State returns the state.
func (l *Link) State() State { return l.tracker.get() }

// WaitChange waits until the state is another one than the given or the
// context ends. It reports whether the state has changed.
func (l *Link) WaitChange(ctx context.Context, from State) bool {
	ch := l.tracker.changeC()
	if l.tracker.get() != from {
		return true
	}
	select {
	case <-ctx.Done():
		return false
	case <-ch:
		return true
	}
}

// WaitUp waits until the link is up.
func (l *Link) WaitUp(ctx context.Context) error {
	for {
		s := l.State()
		switch s {
		case Up:
			return nil
		case Closed:
			return errors.New("link is closed")
		case Idle, Failed:
			l.Connect()
		}
		if !l.WaitChange(ctx, s) {
			return ctx.Err()
		}
	}
}

// Close closes the link.
func (l *Link) Close() {
	l.cancel()
	l.tracker.set(Closed)
}
