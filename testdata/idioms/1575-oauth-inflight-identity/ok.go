package a

import (
	"context"
	"sync"
	"time"
)

type Token struct {
	Value  string
	Expiry time.Time
}

type Exchanger interface {
	Exchange(ctx context.Context, subject, audience string) (Token, error)
}

type flight struct {
	done chan struct{}
	tok  Token
	err  error
}

// Cache exchanges the service's own token for audience-bound ones.
type Cache struct {
	ex      Exchanger
	subject string

	mu      sync.Mutex
	tokens  map[string]Token
	flights map[string]*flight
}

func NewCache(ex Exchanger, subject string) *Cache {
	return &Cache{ex: ex, subject: subject, tokens: map[string]Token{}, flights: map[string]*flight{}}
}

// Invalidate forgets the audience's token; exchanges begun before don't count any more.
func (c *Cache) Invalidate(aud string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.tokens, aud)
	delete(c.flights, aud)
}

func (c *Cache) Token(ctx context.Context, aud string) (Token, error) {
	c.mu.Lock()
	if t, ok := c.tokens[aud]; ok && time.Until(t.Expiry) > time.Minute {
		c.mu.Unlock()
		return t, nil
	}
	f, ok := c.flights[aud]
	if !ok {
		f = &flight{done: make(chan struct{})}
		c.flights[aud] = f
		go c.fly(context.WithoutCancel(ctx), aud, f)
	}
	c.mu.Unlock()

	select {
	case <-f.done:
		return f.tok, f.err
	case <-ctx.Done():
		return Token{}, ctx.Err()
	}
}

func (c *Cache) fly(ctx context.Context, aud string, f *flight) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	defer close(f.done)

	f.tok, f.err = c.ex.Exchange(ctx, c.subject, aud)

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flights[aud] != f {
		return
	}
	delete(c.flights, aud)
	if f.err == nil {
		c.tokens[aud] = f.tok
	}
}
