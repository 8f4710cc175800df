// Package authcode implements the authorization code part of an OAuth 2.0
// server: codes are handed out by the consent page and traded for access
// tokens at the token endpoint.
package authcode

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"
)

// ErrInvalidGrant is returned for unknown, expired or mismatching codes.
var ErrInvalidGrant = errors.New("invalid_grant")

// Grant is what the resource owner agreed to. It is immutable once issued.
type Grant struct {
	ClientID    string
	RedirectURI string
	Subject     string
	Challenge   string // S256 code challenge
	expires     time.Time
}

func (g *Grant) matches(clientID, redirectURI, verifier string) bool {
	if g.ClientID != clientID || g.RedirectURI != redirectURI {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	got := base64.RawURLEncoding.EncodeToString(sum[:])
	return subtle.ConstantTimeCompare([]byte(got), []byte(g.Challenge)) == 1
}

// Store keeps the outstanding codes. All methods may be called concurrently.
type Store struct {
	codes sync.Map // string -> *Grant
	ttl   time.Duration
	stop  chan struct{}
	once  sync.Once
}

// NewStore returns a store whose codes live for ttl.
func NewStore(ttl time.Duration) *Store {
	s := &Store{ttl: ttl, stop: make(chan struct{})}
	go s.janitor()
	return s
}

// Close stops the background cleanup.
func (s *Store) Close() { s.once.Do(func() { close(s.stop) }) }

func (s *Store) janitor() {
	t := time.NewTicker(s.ttl)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case now := <-t.C:
			s.codes.Range(func(k, v any) bool {
				if now.After(v.(*Grant).expires) {
					s.codes.CompareAndDelete(k, v)
				}
				return true
			})
		}
	}
}

// Issue records a grant and returns the code that stands for it.
func (s *Store) Issue(g Grant) string {
	code := rand.Text()
	g.expires = time.Now().Add(s.ttl)
	s.codes.Store(code, &g)
	return code
}

// Redeem trades a code for its grant. A code is good for one redemption; an
// attempt by the wrong client leaves it in place for the right one.
func (s *Store) Redeem(code, clientID, redirectURI, verifier string) (*Grant, error) {
	v, ok := s.codes.Load(code)
	if !ok {
		return nil, ErrInvalidGrant
	}
	g := v.(*Grant)
	if time.Now().After(g.expires) || !g.matches(clientID, redirectURI, verifier) {
		return nil, ErrInvalidGrant
	}
	s.codes.Delete(code)
	return g, nil
}

// Endpoint serves POST /token.
type Endpoint struct {
	Store *Store
	Mint  func(subject, clientID string) (string, error)
}

func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("grant_type") != "authorization_code" {
		http.Error(w, "unsupported_grant_type", http.StatusBadRequest)
		return
	}
	g, err := e.Store.Redeem(r.FormValue("code"), r.FormValue("client_id"),
		r.FormValue("redirect_uri"), r.FormValue("code_verifier"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	tok, err := e.Mint(g.Subject, g.ClientID)
	if err != nil {
		http.Error(w, "server_error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(map[string]string{"access_token": tok, "token_type": "Bearer"})
}
