// Package keyring signs session cookies with keys that are rotated.
package keyring

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log"
	"strings"
	"sync"
	"time"
)

// ErrInvalid is returned for tokens that do not verify.
var ErrInvalid = errors.New("keyring: invalid token")

// Ring holds the signing key and every key that may still verify.
type Ring struct {
	mu        sync.RWMutex
	activeID  string
	activeKey []byte
	verify    map[string][]byte
}

// New returns a ring with one fresh key.
func New() (*Ring, error) {
	r := &Ring{verify: make(map[string][]byte)}
	if err := r.Rotate(); err != nil {
		return nil, err
	}
	return r, nil
}

// Rotate makes a new key the signing key. Older keys still verify.
func (r *Ring) Rotate() error {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	sum := sha256.Sum256(key)
	id := base64.RawURLEncoding.EncodeToString(sum[:6])

	r.activate(id, key)
	return nil
}

func (r *Ring) activate(id string, key []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verify[id] = key
	r.activeKey = key
	r.activeID = id
}

// Sign returns a token for payload.
func (r *Ring) Sign(payload []byte) string {
	r.mu.RLock()
	id, key := r.activeID, r.activeKey
	r.mu.RUnlock()
	return id + "." + encode(payload) + "." + encode(mac(key, payload))
}

// Verify returns the payload of a token that one of the keys signed.
func (r *Ring) Verify(token string) ([]byte, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, ErrInvalid
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, ErrInvalid
	}
	tag, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return nil, ErrInvalid
	}
	r.mu.RLock()
	key, ok := r.verify[parts[0]]
	r.mu.RUnlock()
	if !ok || !hmac.Equal(tag, mac(key, payload)) {
		return nil, ErrInvalid
	}
	return payload, nil
}

// RotateEvery rotates until ctx ends.
func (r *Ring) RotateEvery(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := r.Rotate(); err != nil {
				log.Printf("rotate: %v", err)
			}
		}
	}
}

func mac(key, payload []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(payload)
	return h.Sum(nil)
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
