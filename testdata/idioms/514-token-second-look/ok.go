// Package ok caches credentials that expire.
package ok

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// Ticket is a credential; it is never changed.
type Ticket struct {
	Value   string
	Expires time.Time
}

// Issuer makes tickets.
type Issuer interface {
	Issue() (*Ticket, error)
}

// Cached hands out the ticket of an issuer until shortly before it expires.
type Cached struct {
	base   Issuer
	leeway time.Duration
	now    func() time.Time

	mu     sync.RWMutex
	ticket *Ticket
	// since is the time of the issue.
	since time.Time
}

// NewCached wraps an issuer.
func NewCached(base Issuer, leeway time.Duration) *Cached {
	return &Cached{base: base, leeway: leeway, now: time.Now}
}

// Issue returns a ticket that is valid now.
func (c *Cached) Issue() (*Ticket, error) {
	now := c.now()
	// Fast path.
	c.mu.RLock()
	t := c.ticket
	c.mu.RUnlock()
	if t != nil && t.Expires.Add(-c.leeway).After(now) {
		return t, nil
	}

	// Slow path.
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.ticket; t != nil && t.Expires.Add(-c.leeway).After(now) {
		return t, nil
	}
	t, err := c.base.Issue()
	if err != nil {
		if c.ticket == nil {
			return nil, err
		}
		// The old one may still be accepted.
		return c.ticket, nil
	}
	c.since = c.now()
	c.ticket = t
	return t, nil
}

// ResetOlder drops the ticket if it was issued before t.
func (c *Cached) ResetOlder(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.Before(t) {
		c.ticket = nil
		c.since = time.Time{}
	}
}

type transport struct {
	src  *Cached
	next http.RoundTripper
}

// Wrap adds a ticket to every request.
func Wrap(src *Cached, next http.RoundTripper) http.RoundTripper {
	return &transport{src: src, next: next}
}

func (tr *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Authorization") != "" {
		return tr.next.RoundTrip(req)
	}
	start := time.Now()
	t, err := tr.src.Issue()
	if err != nil {
		return nil, err
	}
	if t.Value == "" {
		return nil, errors.New("empty ticket")
	}
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+t.Value)
	res, err := tr.next.RoundTrip(req)
	if err == nil && res.StatusCode == http.StatusUnauthorized {
		tr.src.ResetOlder(start)
	}
	return res, err
}
