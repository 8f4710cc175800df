// Package auth checks passwords and hands out tokens.
package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"sync"
)

var (
	ErrAuthFailed      = errors.New("auth: authentication failed, invalid user ID or password")
	ErrUserNotFound    = errors.New("auth: user not found")
	ErrInvalidToken    = errors.New("auth: invalid auth token")
	ErrAuthOldRevision = errors.New("auth: revision of auth store is old")
)

type user struct {
	salt     []byte
	password []byte
	roles    map[string]struct{}
}

// AuthInfo is what a token stands for.
type AuthInfo struct {
	Username string
	Revision uint64
}

type authStore struct {
	mu       sync.RWMutex
	users    map[string]*user
	revision uint64

	simpleTokensMu sync.Mutex
	simpleTokens   map[string]string
}

func NewAuthStore() *authStore {
	return &authStore{users: make(map[string]*user), simpleTokens: make(map[string]string), revision: 1}
}

func hashPassword(salt []byte, password string) []byte {
	sum := append([]byte(nil), salt...)
	for range 1 << 16 {
		h := sha256.Sum256(append(sum, password...))
		sum = h[:]
	}
	return sum
}

// Revision gets current revision of authStore
func (as *authStore) Revision() uint64 {
	as.mu.RLock()
	defer as.mu.RUnlock()
	return as.revision
}

// UserAdd adds a user.
func (as *authStore) UserAdd(name, password string) error {
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	u := &user{salt: salt, password: hashPassword(salt, password), roles: make(map[string]struct{})}
	as.mu.Lock()
	defer as.mu.Unlock()
	as.users[name] = u
	as.revision++
	return nil
}

// UserChangePassword changes the password and drops the tokens of the user.
func (as *authStore) UserChangePassword(name, password string) error {
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	hash := hashPassword(salt, password)
	as.mu.Lock()
	defer as.mu.Unlock()
	old, ok := as.users[name]
	if !ok {
		return ErrUserNotFound
	}
	as.users[name] = &user{salt: salt, password: hash, roles: old.roles}
	as.revision++
	as.invalidateUser(name)
	return nil
}

// UserDelete removes the user.
func (as *authStore) UserDelete(name string) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	if _, ok := as.users[name]; !ok {
		return ErrUserNotFound
	}
	delete(as.users, name)
	as.revision++
	as.invalidateUser(name)
	return nil
}

func (as *authStore) invalidateUser(name string) {
	as.simpleTokensMu.Lock()
	defer as.simpleTokensMu.Unlock()
	for token, username := range as.simpleTokens {
		if username == name {
			delete(as.simpleTokens, token)
		}
	}
}

// CheckPassword returns the revision of the store the password was good for.
func (as *authStore) CheckPassword(name, password string) (uint64, error) {
	as.mu.RLock()
	u, ok := as.users[name]
	revision := as.revision
	as.mu.RUnlock()
	if !ok {
		return 0, ErrAuthFailed
	}
	// Hashing is very expensive, so it is kept out of the critical section.
	if subtle.ConstantTimeCompare(u.password, hashPassword(u.salt, password)) != 1 {
		return 0, ErrAuthFailed
	}
	return revision, nil
}

func (as *authStore) assignSimpleTokenToUser(name, token string) {
	as.simpleTokensMu.Lock()
	as.simpleTokens[token] = name
	as.simpleTokensMu.Unlock()
}

func (as *authStore) dropToken(token string) {
	as.simpleTokensMu.Lock()
	delete(as.simpleTokens, token)
	as.simpleTokensMu.Unlock()
}

// AuthInfoFromToken resolves a token.
func (as *authStore) AuthInfoFromToken(token string) (*AuthInfo, error) {
	as.mu.RLock()
	defer as.mu.RUnlock()
	as.simpleTokensMu.Lock()
	name, ok := as.simpleTokens[token]
	as.simpleTokensMu.Unlock()
	if !ok {
		return nil, ErrInvalidToken
	}
	return &AuthInfo{Username: name, Revision: as.revision}, nil
}

// Server answers the requests of clients.
type Server struct {
	authStore *authStore
}

// Authenticate exchanges a password for a token.
func (s *Server) Authenticate(name, password string) (string, error) {
	for {
		checkedRevision, err := s.authStore.CheckPassword(name, password)
		if err != nil {
			return "", err
		}
		buf := make([]byte, 16)
		if _, err := rand.Read(buf); err != nil {
			return "", err
		}
		token := hex.EncodeToString(buf)
		s.authStore.assignSimpleTokenToUser(name, token)
		if checkedRevision == s.authStore.Revision() {
			return token, nil
		}
		// revision when password checked became stale; retrying
		s.authStore.dropToken(token)
	}
}

// doSerialize runs a request that is not ordered with the changes of the store.
func (s *Server) doSerialize(token string, chk func(*AuthInfo) error, get func() error) error {
	ai, err := s.authStore.AuthInfoFromToken(token)
	if err != nil {
		return err
	}
	if err := chk(ai); err != nil {
		return err
	}
	if err := get(); err != nil {
		return err
	}
	if ai.Revision != s.authStore.Revision() {
		return ErrAuthOldRevision
	}
	return nil
}
