// Package authn keeps a bearer token for calls to another service.
package authn

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// ErrDenied is returned when the server accepts no token of ours.
var ErrDenied = errors.New("authn: denied")

// Issuer issues tokens. It locks accounts that ask too often.
type Issuer interface {
	Issue(ctx context.Context, audience string) (token string, ttl time.Duration, err error)
}

type bearer struct {
	value   string
	renewAt time.Time
	expires time.Time
}

// Keeper holds the token for one audience.
type Keeper struct {
	issuer   Issuer
	audience string
	gate     chan struct{}
	tok      atomic.Pointer[bearer]
	issued   atomic.Int64
}

// NewKeeper returns a keeper without a token.
func NewKeeper(i Issuer, audience string) *Keeper {
	return &Keeper{issuer: i, audience: audience, gate: make(chan struct{}, 1)}
}

func (k *Keeper) enter(ctx context.Context) error {
	select {
	case k.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *Keeper) tryEnter() bool {
	select {
	case k.gate <- struct{}{}:
		return true
	default:
		return false
	}
}

func (k *Keeper) leave() { <-k.gate }

// get returns a token that has not expired. One caller renews it early while
// the others go on with the old one.
func (k *Keeper) get(ctx context.Context) (*bearer, error) {
	now := time.Now()
	b := k.tok.Load()
	switch {
	case b != nil && now.Before(b.renewAt):
		return b, nil
	case b != nil && now.Before(b.expires):
		if !k.tryEnter() {
			return b, nil
		}
	default:
		if err := k.enter(ctx); err != nil {
			return nil, err
		}
	}
	defer k.leave()
	now = time.Now()
	cur := k.tok.Load()
	if cur != nil && now.Before(cur.renewAt) {
		return cur, nil
	}
	next, err := k.issue(ctx)
	if err != nil {
		if cur != nil && now.Before(cur.expires) {
			return cur, nil
		}
		return nil, err
	}
	k.tok.Store(next)
	return next, nil
}

func (k *Keeper) issue(ctx context.Context) (*bearer, error) {
	value, ttl, err := k.issuer.Issue(ctx, k.audience)
	if err != nil {
		return nil, fmt.Errorf("issue token for %s: %w", k.audience, err)
	}
	k.issued.Add(1)
	now := time.Now()
	return &bearer{value: value, renewAt: now.Add(ttl * 4 / 5), expires: now.Add(ttl)}, nil
}

// reject forgets a token that a server has not accepted.
func (k *Keeper) reject(b *bearer) { k.tok.CompareAndSwap(b, nil) }

// Issued returns how many tokens have been issued.
func (k *Keeper) Issued() int64 { return k.issued.Load() }

// Client sends requests with the token.
type Client struct {
	Keeper *Keeper
	HTTP   *http.Client
}

// Do sends a request without body, and once more if its token is not accepted.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	for range 2 {
		b, err := c.Keeper.get(r.Context())
		if err != nil {
			return nil, err
		}
		req := r.Clone(r.Context())
		req.Header.Set("Authorization", "Bearer "+b.value)
		resp, err := c.HTTP.Do(req)
		if err != nil || resp.StatusCode != http.StatusUnauthorized {
			return resp, err
		}
		resp.Body.Close()
		c.Keeper.reject(b)
	}
	return nil, ErrDenied
}
