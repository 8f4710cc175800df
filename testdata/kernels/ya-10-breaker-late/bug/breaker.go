// Package breaker stops calling a backend that keeps failing.
//
// A breaker is closed to begin with and lets all calls through. After a run of
// failures it opens and refuses calls for a while. Then it lets one call
// through to probe the backend, and that call decides whether the breaker
// closes again.
package breaker

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// ErrOpen is returned for calls that are not let through.
var ErrOpen = errors.New("breaker: open")

var errPanic = errors.New("breaker: call panicked")

// State is the state of a breaker.
type State int

const (
	Closed State = iota
	Open
	Probing
)

func (s State) String() string {
	switch s {
	case Closed:
		return "closed"
	case Open:
		return "open"
	default:
		return "probing"
	}
}

// Config sets the limits of a breaker.
type Config struct {
	Failures int           // failures in a row that open the breaker
	CoolDown time.Duration // how long it stays open before the probe
}

// Breaker is safe for concurrent use.
type Breaker struct {
	cfg Config
	now func() time.Time

	mu       sync.Mutex
	state    State
	failures int
	openedAt time.Time
}

// New returns a closed breaker.
func New(cfg Config) *Breaker {
	return &Breaker{cfg: cfg, now: time.Now}
}

// State returns the current state.
func (b *Breaker) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

// Do makes the call if the breaker allows it, and learns from its outcome.
func (b *Breaker) Do(call func() error) error {
	if err := b.admit(); err != nil {
		return err
	}
	settled := false
	defer func() {
		if !settled {
			b.settle(errPanic)
		}
	}()
	err := call()
	settled = true
	b.settle(err)
	return err
}

// admit decides whether a call may be made now.
func (b *Breaker) admit() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.state {
	case Closed:
		return nil
	case Open:
		if b.now().Sub(b.openedAt) < b.cfg.CoolDown {
			return ErrOpen
		}
		b.enter(Probing)
		return nil
	default: // the probe is still out
		return ErrOpen
	}
}

// settle books the outcome of a call.
func (b *Breaker) settle(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.state {
	case Closed:
		if err == nil {
			b.failures = 0
			return
		}
		b.failures++
		if b.failures >= b.cfg.Failures {
			b.enter(Open)
		}
	case Probing:
		if err == nil {
			b.enter(Closed)
		} else {
			b.enter(Open)
		}
	}
}

// enter changes the state. The caller holds b.mu.
func (b *Breaker) enter(s State) {
	b.state = s
	b.failures = 0
	if s == Open {
		b.openedAt = b.now()
	}
}

// Transport is an http.RoundTripper that goes through a breaker. Responses
// with a status of 500 and above count as failures.
type Transport struct {
	Base    http.RoundTripper
	Breaker *Breaker
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	var resp *http.Response
	var rtErr error
	err := t.Breaker.Do(func() error {
		resp, rtErr = t.Base.RoundTrip(req)
		if rtErr != nil {
			return rtErr
		}
		if resp.StatusCode >= 500 {
			return errors.New(resp.Status)
		}
		return nil
	})
	if errors.Is(err, ErrOpen) {
		return nil, err
	}
	return resp, rtErr
}
