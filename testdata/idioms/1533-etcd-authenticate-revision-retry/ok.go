package a

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
)

var ErrAuthFailed = errors.New("auth: authentication failed, invalid user ID or password")

type user struct{ password [sha256.Size]byte }

// authStore holds users and tokens. Every change of the users is a new
// revision.
type authStore struct {
	mu       sync.RWMutex
	revision uint64
	users    map[string]*user
	tokens   map[string]string
}

func newAuthStore() *authStore {
	return &authStore{users: map[string]*user{}, tokens: map[string]string{}, revision: 1}
}

// UserChangePassword changes the password and invalidates the user's tokens.
func (as *authStore) UserChangePassword(name, password string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	as.users[name] = &user{sha256.Sum256([]byte(password))}
	as.invalidateUser(name)
	as.revision++
}

func (as *authStore) UserDelete(name string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	delete(as.users, name)
	as.invalidateUser(name)
	as.revision++
}

func (as *authStore) invalidateUser(name string) {
	for t, n := range as.tokens {
		if n == name {
			delete(as.tokens, t)
		}
	}
}

func (as *authStore) Revision() uint64 {
	as.mu.RLock()
	defer as.mu.RUnlock()
	return as.revision
}

// CheckPassword checks the password and returns the revision it was checked
// at. Hashing is expensive, so it is not done in the critical section.
func (as *authStore) CheckPassword(name, password string) (uint64, error) {
	as.mu.RLock()
	u, revision := as.users[name], as.revision
	as.mu.RUnlock()
	if u == nil || u.password != sha256.Sum256([]byte(password)) {
		return 0, ErrAuthFailed
	}
	return revision, nil
}

// assign is the applied form of an authentication.
func (as *authStore) assign(name, token string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	as.tokens[token] = name
}

func (as *authStore) revoke(token string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	delete(as.tokens, token)
}

// EtcdServer answers the authentication requests.
type EtcdServer struct{ as *authStore }

// Authenticate returns a token for the user.
func (s *EtcdServer) Authenticate(ctx context.Context, name, password string) (string, error) {
	for ctx.Err() == nil {
		checkedRevision, err := s.as.CheckPassword(name, password)
		if err != nil {
			return "", err
		}
		var b [16]byte
		rand.Read(b[:])
		token := hex.EncodeToString(b[:])
		s.as.assign(name, token)
		if checkedRevision == s.as.Revision() {
			return token, nil
		}
		// The revision when the password was checked became stale.
		s.as.revoke(token)
	}
	return "", ctx.Err()
}

// Username returns whom a token belongs to.
func (s *EtcdServer) Username(token string) (string, bool) {
	s.as.mu.RLock()
	defer s.as.mu.RUnlock()
	name, ok := s.as.tokens[token]
	return name, ok
}
