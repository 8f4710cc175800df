package a

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"sync"
	"time"
)

// Fetcher obtains a fresh access key from the vault.
type Fetcher func(ctx context.Context) (keyID string, secret []byte, err error)

// Credentials holds the access key of an object store. The key is replaced
// at regular intervals by the refresh loop.
type Credentials struct {
	mu     *sync.RWMutex
	keyID  string
	secret []byte
	since  time.Time
}

// NewCredentials starts with the given key.
func NewCredentials(keyID string, secret []byte) *Credentials {
	return &Credentials{mu: new(sync.RWMutex), keyID: keyID, secret: secret, since: time.Now()}
}

// KeyID returns the public identifier of the key in use.
func (c *Credentials) KeyID() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.keyID
}

// Secret returns the signing secret of the key in use.
func (c *Credentials) Secret() []byte {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.secret
}

// Age tells how long the key has been in use.
func (c *Credentials) Age() time.Duration {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return time.Since(c.since)
}

// Rotate replaces the key.
func (c *Credentials) Rotate(keyID string, secret []byte) error {
	if keyID == "" || len(secret) == 0 {
		return errors.New("credentials: incomplete key")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keyID, c.secret, c.since = keyID, secret, time.Now()
	return nil
}

// Refresh rotates the key every interval until ctx ends.
func (c *Credentials) Refresh(ctx context.Context, interval time.Duration, fetch Fetcher) error {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			id, secret, err := fetch(ctx)
			if err != nil {
				continue // the old key is valid for some more rounds
			}
			if err := c.Rotate(id, secret); err != nil {
				return err
			}
		}
	}
}

// Sign adds the authorization header to an outgoing request.
func (c *Credentials) Sign(req *http.Request) {
	stamp := time.Now().UTC().Format(time.RFC3339)
	keyID := c.KeyID()
	mac := hmac.New(sha256.New, c.Secret())
	mac.Write([]byte(req.Method + "\n" + req.URL.Path + "\n" + stamp))
	req.Header.Set("X-Date", stamp)
	req.Header.Set("Authorization", "HMAC "+keyID+":"+hex.EncodeToString(mac.Sum(nil)))
}
