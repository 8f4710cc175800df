// Package a signs the access tokens of an API gateway and rotates the keys.
package a

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrUnknownKey = errors.New("keyring: unknown key")
	ErrMalformed  = errors.New("keyring: malformed token")
	ErrSignature  = errors.New("keyring: wrong signature")
)

// key is one generation of the secret; it is not changed once made.
type key struct {
	id      uint64
	secret  []byte
	created time.Time
}

func (k *key) mac(payload string) string {
	h := hmac.New(sha256.New, k.secret)
	h.Write([]byte(payload))
	return hex.EncodeToString(h.Sum(nil))
}

// Keyring holds all generations, so that old tokens stay valid, and the
// number of the one that signs.
type Keyring struct {
	rotate  sync.Mutex // one rotation at a time
	current atomic.Uint64
	keys    sync.Map // id (uint64) -> *key
}

// NewKeyring returns a keyring with its first key.
func NewKeyring() (*Keyring, error) {
	r := &Keyring{}
	if _, err := r.Rotate(); err != nil {
		return nil, err
	}
	return r, nil
}

// Rotate makes a new key that signs from now on, and returns its number. It
// is called by the scheduler and by administrators, under traffic.
func (r *Keyring) Rotate() (uint64, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	r.rotate.Lock()
	defer r.rotate.Unlock()
	id := r.current.Add(1)
	r.keys.Store(id, &key{id: id, secret: secret, created: time.Now()})
	return id, nil
}

func (r *Keyring) lookup(id uint64) (*key, error) {
	v, ok := r.keys.Load(id)
	if !ok {
		return nil, ErrUnknownKey
	}
	return v.(*key), nil
}

// Sign returns payload as a token under the current key.
func (r *Keyring) Sign(payload string) (string, error) {
	k, err := r.lookup(r.current.Load())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d.%s.%s", k.id, k.mac(payload), payload), nil
}

// Verify returns the payload of a token that one of the keys has signed.
func (r *Keyring) Verify(token string) (string, error) {
	parts := strings.SplitN(token, ".", 3)
	if len(parts) != 3 {
		return "", ErrMalformed
	}
	var id uint64
	if _, err := fmt.Sscanf(parts[0], "%d", &id); err != nil {
		return "", ErrMalformed
	}
	k, err := r.lookup(id)
	if err != nil {
		return "", err
	}
	if !hmac.Equal([]byte(k.mac(parts[2])), []byte(parts[1])) {
		return "", ErrSignature
	}
	return parts[2], nil
}

// Age returns how long the given key has existed.
func (r *Keyring) Age(id uint64, now time.Time) (time.Duration, error) {
	k, err := r.lookup(id)
	if err != nil {
		return 0, err
	}
	return now.Sub(k.created), nil
}
