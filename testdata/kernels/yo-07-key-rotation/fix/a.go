// Package token signs short-lived API tokens with a rotating key.
package token

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"time"
)

type Keyring struct {
	mu     sync.RWMutex
	kid    string
	secret []byte
	old    map[string][]byte
}

func NewKeyring() *Keyring {
	k := &Keyring{old: make(map[string][]byte)}
	k.Rotate(time.Now())
	return k
}

// Current returns the key in use and its name; the key must not be modified.
func (k *Keyring) Current() (string, []byte) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.kid, k.secret
}

// Rotate puts a fresh key in use; older ones stay good for verification.
func (k *Keyring) Rotate(now time.Time) {
	next := make([]byte, 32)
	rand.Read(next)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kid != "" {
		k.old[k.kid] = k.secret
	}
	k.kid = fmt.Sprintf("k%d", now.UnixNano())
	k.secret = next
}

func (k *Keyring) find(kid string) ([]byte, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if kid == k.kid {
		return k.secret, true
	}
	s, ok := k.old[kid]
	return s, ok
}

type Signer struct {
	keys *Keyring
	stop chan struct{}
}

func NewSigner(keys *Keyring, every time.Duration) *Signer {
	s := &Signer{keys: keys, stop: make(chan struct{})}
	go s.rotateLoop(every)
	return s
}

func (s *Signer) rotateLoop(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			s.keys.Rotate(now)
		case <-s.stop:
			return
		}
	}
}

func mac(secret []byte, body string) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Sign returns "kid.subject.mac".
func (s *Signer) Sign(subject string) string {
	sub := base64.RawURLEncoding.EncodeToString([]byte(subject))
	kid, secret := s.keys.Current()
	body := kid + "." + sub
	return body + "." + mac(secret, body)
}

func (s *Signer) Verify(tok string) bool {
	kid, rest, _ := strings.Cut(tok, ".")
	sub, sum, ok := strings.Cut(rest, ".")
	if !ok {
		return false
	}
	secret, ok := s.keys.find(kid)
	return ok && hmac.Equal([]byte(sum), []byte(mac(secret, kid+"."+sub)))
}

// Close ends the rotation; it must be called once.
func (s *Signer) Close() { close(s.stop) }
