// Package fix issues simple tokens that expire when they are not used.
package fix

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrDisabled is returned while authentication is off.
var ErrDisabled = errors.New("token: authentication is not enabled")

const (
	tokenTTL   = 5 * time.Minute
	resolution = time.Second
)

// ttlKeeper forgets tokens that have not been used for a while.
type ttlKeeper struct {
	mu      *sync.Mutex // of the provider, guards expiry
	expiry  map[string]time.Time
	deleted func(token string) // called with mu held

	stopc chan struct{}
	donec chan struct{}
}

// stop ends run and waits for it.
func (k *ttlKeeper) stop() {
	close(k.stopc)
	<-k.donec
}

// The caller of add, reset and remove holds mu.

func (k *ttlKeeper) add(token string) {
	k.expiry[token] = time.Now().Add(tokenTTL)
}

func (k *ttlKeeper) reset(token string) {
	if _, ok := k.expiry[token]; ok {
		k.expiry[token] = time.Now().Add(tokenTTL)
	}
}

func (k *ttlKeeper) remove(token string) {
	delete(k.expiry, token)
}

func (k *ttlKeeper) run() {
	ticker := time.NewTicker(resolution)
	defer func() {
		ticker.Stop()
		close(k.donec)
	}()
	for {
		select {
		case now := <-ticker.C:
			k.mu.Lock()
			for token, t := range k.expiry {
				if now.After(t) {
					k.deleted(token)
					delete(k.expiry, token)
				}
			}
			k.mu.Unlock()
		case <-k.stopc:
			return
		}
	}
}

// Provider is safe for concurrent use. Authentication can be switched on and
// off by any administrator.
type Provider struct {
	mu     sync.Mutex
	next   uint64
	tokens map[string]string // token to user
	keeper *ttlKeeper        // nil while disabled
}

// NewProvider returns a provider that is disabled.
func NewProvider() *Provider {
	return &Provider{tokens: make(map[string]string)}
}

// Enable starts to issue tokens.
func (p *Provider) Enable() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keeper != nil {
		return
	}
	p.keeper = &ttlKeeper{
		mu:      &p.mu,
		expiry:  make(map[string]time.Time),
		deleted: func(token string) { delete(p.tokens, token) },
		stopc:   make(chan struct{}),
		donec:   make(chan struct{}),
	}
	go p.keeper.run()
}

// Disable invalidates all tokens.
func (p *Provider) Disable() {
	p.mu.Lock()
	k := p.keeper
	p.keeper = nil
	p.tokens = make(map[string]string)
	p.mu.Unlock()
	if k != nil {
		k.stop()
	}
}

// Assign returns a new token for the user.
func (p *Provider) Assign(user, prefix string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keeper == nil {
		return "", ErrDisabled
	}
	p.next++
	token := fmt.Sprintf("%s.%d", prefix, p.next)
	p.tokens[token] = user
	p.keeper.add(token)
	return token, nil
}

// Info returns the user of a token and renews it.
func (p *Provider) Info(token string) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	user, ok := p.tokens[token]
	if ok && p.keeper != nil {
		p.keeper.reset(token)
	}
	return user, ok
}

// Invalidate forgets the tokens of a user.
func (p *Provider) Invalidate(user string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keeper == nil {
		return
	}
	for token, name := range p.tokens {
		if name == user {
			delete(p.tokens, token)
			p.keeper.remove(token)
		}
	}
}
