// Package sipreg keeps the lines of a telephone gateway registered.
package sipreg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

const (
	retryMin = 5 * time.Second
	retryMax = 5 * time.Minute
)

// Line is an account at a registrar.
type Line struct {
	AOR      string
	Contact  string
	Password string
	Expires  time.Duration
}

// Request is a REGISTER; Expires zero removes the binding.
type Request struct {
	AOR     string
	Contact string
	CallID  string
	CSeq    uint32
	Expires time.Duration
}

// Client runs the REGISTER transaction, with authentication, and returns the
// lifetime that was granted.
type Client interface {
	Register(ctx context.Context, line Line, req Request) (time.Duration, error)
}

// ErrDuplicate is returned for an address that is registered already.
var ErrDuplicate = errors.New("sipreg: line exists")

// registration is one line; the timer is nil while the line is not to be
// registered.
type registration struct {
	line   Line
	callID string
	client Client
	log    *slog.Logger

	mu      sync.Mutex
	timer   *time.Timer
	cseq    uint32
	backoff time.Duration
}

func (r *registration) start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = time.AfterFunc(0, r.refresh)
}

// request builds the next REGISTER; r.mu is held.
func (r *registration) request(expires time.Duration) Request {
	r.cseq++
	return Request{AOR: r.line.AOR, Contact: r.line.Contact, CallID: r.callID, CSeq: r.cseq, Expires: expires}
}

// delay returns when to register again; r.mu is held.
func (r *registration) delay(granted time.Duration, err error) time.Duration {
	if err != nil {
		r.backoff = min(max(2*r.backoff, retryMin), retryMax)
		return r.backoff
	}
	r.backoff = 0
	return max(granted*9/10, retryMin)
}

// refresh runs on the timer.
func (r *registration) refresh() {
	r.mu.Lock()
	if r.timer == nil {
		r.mu.Unlock()
		return
	}
	req := r.request(r.line.Expires)
	r.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), 32*time.Second)
	defer cancel()
	granted, err := r.client.Register(ctx, r.line, req)
	if err != nil {
		r.log.Warn("register failed", "aor", r.line.AOR, "err", err)
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer == nil {
		return
	}
	r.timer = time.AfterFunc(r.delay(granted, err), r.refresh)
}

// stop ends the refreshes and removes the binding.
func (r *registration) stop(ctx context.Context) error {
	r.mu.Lock()
	if r.timer == nil {
		r.mu.Unlock()
		return nil
	}
	r.timer.Stop()
	r.timer = nil
	req := r.request(0)
	r.mu.Unlock()

	if _, err := r.client.Register(ctx, r.line, req); err != nil {
		return fmt.Errorf("unregister %s: %w", r.line.AOR, err)
	}
	return nil
}

// Gateway owns the registrations.
type Gateway struct {
	client Client
	log    *slog.Logger
	newID  func() string

	mu    sync.Mutex
	lines map[string]*registration
}

// NewGateway returns a gateway without lines; newID makes Call-IDs.
func NewGateway(c Client, newID func() string, log *slog.Logger) *Gateway {
	return &Gateway{client: c, log: log, newID: newID, lines: make(map[string]*registration)}
}

// Add registers a line.
func (g *Gateway) Add(line Line) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.lines[line.AOR]; ok {
		return fmt.Errorf("%w: %s", ErrDuplicate, line.AOR)
	}
	r := &registration{line: line, callID: g.newID(), client: g.client, log: g.log}
	g.lines[line.AOR] = r
	r.start()
	return nil
}

// Remove unregisters a line, if it is there.
func (g *Gateway) Remove(ctx context.Context, aor string) error {
	g.mu.Lock()
	r, ok := g.lines[aor]
	delete(g.lines, aor)
	g.mu.Unlock()
	if !ok {
		return nil
	}
	return r.stop(ctx)
}

// Close unregisters all lines.
func (g *Gateway) Close(ctx context.Context) error {
	g.mu.Lock()
	lines := g.lines
	g.lines = make(map[string]*registration)
	g.mu.Unlock()
	var errs []error
	for _, r := range lines {
		errs = append(errs, r.stop(ctx))
	}
	return errors.Join(errs...)
}
