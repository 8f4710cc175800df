// Package fence lets one controller at a time own a partition's ledger, even
// when a former owner has not noticed yet that it lost its lease.
package fence

import (
	"context"
	"errors"
	"log"
	"maps"
	"sync"
	"time"
)

// Errors of the package.
var (
	ErrFenced = errors.New("fence: a newer owner has taken over")
	ErrHeld   = errors.New("fence: lease is held")
)

// Token grows with every lease that is granted.
type Token uint64

// Lessor grants one lease at a time. It is safe for concurrent use.
type Lessor struct {
	ttl time.Duration

	mu    sync.Mutex
	token Token
	until time.Time
}

// NewLessor returns a lessor of leases that last for ttl.
func NewLessor(ttl time.Duration) *Lessor {
	return &Lessor{ttl: ttl}
}

// Acquire grants a lease if the last one has run out.
func (l *Lessor) Acquire() (Token, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Before(l.until) {
		return 0, ErrHeld
	}
	l.token++
	l.until = now.Add(l.ttl)
	return l.token, nil
}

// Renew extends the lease of the holder of tok.
func (l *Lessor) Renew(tok Token) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.token != tok || !now.Before(l.until) {
		return false
	}
	l.until = now.Add(l.ttl)
	return true
}

// Held reports whether tok is the token of the running lease.
func (l *Lessor) Held(tok Token) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.token == tok && time.Now().Before(l.until)
}

// Ledger holds the assignments of a partition. It is safe for concurrent use.
type Ledger struct {
	mu      sync.Mutex
	fence   Token
	entries map[string]string
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{entries: make(map[string]string)}
}

// Open shuts out the holders of lower tokens and returns what they left.
func (g *Ledger) Open(tok Token) (map[string]string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if tok < g.fence {
		return nil, ErrFenced
	}
	g.fence = tok
	return maps.Clone(g.entries), nil
}

// Commit writes entries on behalf of the owner that opened with tok.
func (g *Ledger) Commit(tok Token, entries map[string]string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if tok != g.fence {
		return ErrFenced
	}
	maps.Copy(g.entries, entries)
	return nil
}

// Controller computes assignments while it is the owner.
type Controller struct {
	Lessor *Lessor
	Ledger *Ledger
	// Plan returns the entries to change. It may take long.
	Plan func(ctx context.Context, have map[string]string) map[string]string
}

// Run takes part in the ownership until ctx ends. Several controllers run at
// the same time.
func (c *Controller) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	var tok Token
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if tok == 0 || !c.Lessor.Renew(tok) {
			var err error
			if tok, err = c.Lessor.Acquire(); err != nil {
				continue
			}
		}
		if err := c.step(ctx, tok); err != nil {
			log.Printf("fence: token %d: %v", tok, err)
			tok = 0
		}
	}
}

func (c *Controller) step(ctx context.Context, tok Token) error {
	have, err := c.Ledger.Open(tok)
	if err != nil {
		return err
	}
	changes := c.Plan(ctx, have)
	if len(changes) == 0 || !c.Lessor.Held(tok) {
		return nil
	}
	return c.Ledger.Commit(tok, changes)
}
