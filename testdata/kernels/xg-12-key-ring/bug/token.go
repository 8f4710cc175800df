// Package token signs and verifies session tokens with keys that are changed
// regularly. The header of a token names the key that it was signed with.
package token

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"
)

// ErrInvalid is returned by Verify.
var ErrInvalid = errors.New("token: invalid")

var b64 = base64.RawURLEncoding

// keep is the number of keys that tokens are accepted from.
const keep = 3

// Ring holds the signing keys. It is safe for concurrent use.
type Ring struct {
	mu    sync.RWMutex
	order []string // key ids, the newest one last
	keys  map[string][]byte
}

// NewRing returns a ring with one key that is replaced every interval.
func NewRing(ctx context.Context, interval time.Duration) *Ring {
	r := &Ring{keys: make(map[string][]byte)}
	r.rotate()
	go func() {
		t := time.NewTicker(interval)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				r.rotate()
			}
		}
	}()
	return r
}

func (r *Ring) rotate() {
	id, key := rand.Text(), make([]byte, 32)
	rand.Read(key)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order = append(r.order, id)
	r.keys[id] = key
	if len(r.order) > keep {
		delete(r.keys, r.order[0])
		r.order = r.order[1:]
	}
}

// ActiveID returns the id of the key to sign with.
func (r *Ring) ActiveID() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.order[len(r.order)-1]
}

// ActiveKey returns the key to sign with.
func (r *Ring) ActiveKey() []byte {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.keys[r.order[len(r.order)-1]]
}

// Key returns a key by its id.
func (r *Ring) Key(id string) ([]byte, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	k, ok := r.keys[id]
	return k, ok
}

type header struct {
	Alg string `json:"alg"`
	Kid string `json:"kid"`
}

// Signer makes tokens out of claims. It is safe for concurrent use.
type Signer struct {
	Ring *Ring
}

// Sign returns a token for the claims.
func (s *Signer) Sign(claims any) (string, error) {
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	text := s.header() + "." + b64.EncodeToString(body)
	return text + "." + s.seal(text), nil
}

func (s *Signer) header() string {
	h, _ := json.Marshal(header{Alg: "HS256", Kid: s.Ring.ActiveID()})
	return b64.EncodeToString(h)
}

func (s *Signer) seal(text string) string {
	return b64.EncodeToString(mac(s.Ring.ActiveKey(), text))
}

// Verify checks a token and decodes its claims.
func (s *Signer) Verify(tok string, claims any) error {
	parts := strings.Split(tok, ".")
	if len(parts) != 3 {
		return ErrInvalid
	}
	var h header
	raw, err := b64.DecodeString(parts[0])
	if err != nil || json.Unmarshal(raw, &h) != nil {
		return ErrInvalid
	}
	key, ok := s.Ring.Key(h.Kid)
	sum, err := b64.DecodeString(parts[2])
	if !ok || err != nil || !hmac.Equal(sum, mac(key, parts[0]+"."+parts[1])) {
		return ErrInvalid
	}
	body, err := b64.DecodeString(parts[1])
	if err != nil {
		return ErrInvalid
	}
	return json.Unmarshal(body, claims)
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
