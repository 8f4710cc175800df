// Package tokens gets access tokens for audiences and shares them.
//
// Correct: while a token is being minted without the lock, its flight is in
// the map and all others wait for it instead of minting. The result is kept
// only if the flight is still the one in the map; Revoke takes it out, so that
// a token minted before a revocation is not kept after it.
package tokens

import (
	"context"
	"sync"
	"time"
)

type Token struct {
	Value   string
	Expires time.Time
}

type flight struct {
	done  chan struct{}
	token Token
	err   error
}

type Broker struct {
	mint func(audience string) (Token, error)
	skew time.Duration

	mu      sync.Mutex
	cached  map[string]Token
	flights map[string]*flight
}

func New(mint func(string) (Token, error), skew time.Duration) *Broker {
	return &Broker{
		mint:    mint,
		skew:    skew,
		cached:  make(map[string]Token),
		flights: make(map[string]*flight),
	}
}

func (b *Broker) fresh(t Token) bool { return time.Now().Add(b.skew).Before(t.Expires) }

// Token returns a token that is good for a while.
func (b *Broker) Token(ctx context.Context, audience string) (Token, error) {
	b.mu.Lock()
	if t, ok := b.cached[audience]; ok && b.fresh(t) {
		b.mu.Unlock()
		return t, nil
	}
	f, ok := b.flights[audience]
	if !ok {
		f = &flight{done: make(chan struct{})}
		b.flights[audience] = f
		go b.fly(audience, f)
	}
	b.mu.Unlock()

	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
		return Token{}, ctx.Err()
	}
}

func (b *Broker) fly(audience string, f *flight) {
	f.token, f.err = b.mint(audience)
	b.land(audience, f)
	close(f.done)
}

func (b *Broker) land(audience string, f *flight) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.flights[audience] != f {
		return
	}
	delete(b.flights, audience)
	if f.err == nil {
		b.cached[audience] = f.token
	}
}

// Revoke forgets the token of an audience; later callers get a new one.
func (b *Broker) Revoke(audience string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.cached, audience)
	delete(b.flights, audience)
}

// Prune forgets what has expired.
func (b *Broker) Prune() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for audience, t := range b.cached {
		if !b.fresh(t) {
			delete(b.cached, audience)
		}
	}
}
