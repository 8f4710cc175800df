package signing

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

// Issued is what the token service hands out.
type Issued struct {
	KeyID   string
	Secret  string
	Token   string
	Expires time.Time
}

// Issuer gets fresh credentials.
type Issuer func(ctx context.Context) (Issued, error)

// Provider keeps credentials fresh in the background.
type Provider struct {
	issue  Issuer
	margin time.Duration

	mu      sync.RWMutex
	keyID   string
	secret  string
	token   string
	expires time.Time
}

// NewProvider gets first credentials and starts to refresh them until ctx ends.
func NewProvider(ctx context.Context, issue Issuer) (*Provider, error) {
	p := &Provider{issue: issue, margin: time.Minute}
	if err := p.refresh(ctx); err != nil {
		return nil, err
	}
	go p.keepFresh(ctx)
	return p, nil
}

func (p *Provider) refresh(ctx context.Context) error {
	got, err := p.issue(ctx)
	if err != nil {
		return err
	}
	if got.KeyID == "" || got.Secret == "" {
		return errors.New("signing: issuer gave incomplete credentials")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keyID, p.secret, p.token, p.expires = got.KeyID, got.Secret, got.Token, got.Expires
	return nil
}

func (p *Provider) keepFresh(ctx context.Context) {
	for {
		wait := max(time.Until(p.Expires())-p.margin, 5*time.Second)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if err := p.refresh(ctx); err != nil {
			log.Printf("signing: refresh: %v", err)
		}
	}
}

// KeyID returns the id of the current key.
func (p *Provider) KeyID() string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.keyID
}

// Secret returns the current secret.
func (p *Provider) Secret() string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.secret
}

// Token returns the current session token.
func (p *Provider) Token() string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.token
}

// Expires returns when the current credentials end.
func (p *Provider) Expires() time.Time {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.expires
}
