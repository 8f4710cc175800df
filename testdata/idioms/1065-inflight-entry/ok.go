// Package capture captures authorized payments, each of them once, however
// many workers and retries ask for it.
package capture

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrInvalid is returned for an empty authorization.
var ErrInvalid = errors.New("capture: no authorization")

// Receipt is the proof of a capture.
type Receipt struct {
	Auth string
	Ref  string
	At   time.Time
}

// Acquirer moves the money.
type Acquirer interface {
	Capture(ctx context.Context, auth string) (ref string, err error)
}

// attempt is a capture under way or done. receipt and err are set before done
// is closed and never change after that.
type attempt struct {
	done    chan struct{}
	receipt Receipt
	err     error
}

// Capturer is shared by the API handlers and the nightly batch.
type Capturer struct {
	acq     Acquirer
	timeout time.Duration

	mu       sync.RWMutex
	attempts map[string]*attempt // by authorization
}

// New returns a Capturer.
func New(acq Acquirer, timeout time.Duration) *Capturer {
	return &Capturer{
		acq:      acq,
		timeout:  timeout,
		attempts: make(map[string]*attempt),
	}
}

// Capture captures the authorization, or waits for the one who does. After a
// failure the next call tries again.
func (c *Capturer) Capture(ctx context.Context, auth string) (Receipt, error) {
	if auth == "" {
		return Receipt{}, ErrInvalid
	}
	a, ok := c.find(auth)
	if !ok {
		var mine bool
		a, mine = c.enter(auth)
		if mine {
			c.perform(ctx, auth, a)
			return a.receipt, a.err
		}
	}
	select {
	case <-a.done:
		return a.receipt, a.err
	case <-ctx.Done():
		return Receipt{}, ctx.Err()
	}
}

func (c *Capturer) find(auth string) (*attempt, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	a, ok := c.attempts[auth]
	return a, ok
}

// enter returns the attempt for the authorization and whether the caller has
// to perform it.
func (c *Capturer) enter(auth string) (*attempt, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := c.attempts[auth]; ok {
		return a, false
	}
	a := &attempt{done: make(chan struct{})}
	c.attempts[auth] = a
	return a, true
}

func (c *Capturer) perform(ctx context.Context, auth string, a *attempt) {
	// The others wait for us, so a client that hangs up must not stop it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
	defer cancel()

	ref, err := c.acq.Capture(ctx, auth)
	if err != nil {
		a.err = fmt.Errorf("capture: %s: %w", auth, err)
		c.drop(auth)
	} else {
		a.receipt = Receipt{Auth: auth, Ref: ref, At: time.Now()}
	}
	close(a.done)
}

func (c *Capturer) drop(auth string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.attempts, auth)
}

// Captured tells whether the authorization was captured.
func (c *Capturer) Captured(auth string) bool {
	a, ok := c.find(auth)
	if !ok {
		return false
	}
	select {
	case <-a.done:
		return a.err == nil
	default:
		return false
	}
}
