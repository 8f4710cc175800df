package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrAuthNotEnabled  = errors.New("auth: authentication is not enabled")
	ErrAuthFailed      = errors.New("auth: authentication failed, invalid user ID or password")
	ErrAuthOldRevision = errors.New("auth: revision in header is old")
)

type User struct {
	Name     string
	Password []byte
}

type authStore struct {
	enabled  atomic.Bool
	mu       sync.Mutex // guards the fields below
	users    map[string]*User
	revision uint64
	tokens   map[string]string
}

func newAuthStore() *authStore {
	s := &authStore{users: make(map[string]*User), tokens: make(map[string]string)}
	s.enabled.Store(true)
	return s
}

// UserChangePassword replaces the user; users are never changed in place.
func (as *authStore) UserChangePassword(name string, hash []byte) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.users[name] == nil {
		return ErrAuthFailed
	}
	as.users[name] = &User{Name: name, Password: hash}
	for t, n := range as.tokens {
		if n == name {
			delete(as.tokens, t)
		}
	}
	as.revision++
	return nil
}

// CheckPassword checks a given pair of username and password is correct
func (as *authStore) CheckPassword(username, password string) (uint64, error) {
	if !as.enabled.Load() {
		return 0, ErrAuthNotEnabled
	}

	var user *User
	// CompareHashAndPassword is very expensive, so we use closures
	// to avoid putting it in the critical section of the tx lock.
	revision, err := func() (uint64, error) {
		as.mu.Lock()
		defer as.mu.Unlock()

		user = as.users[username]
		if user == nil {
			return 0, ErrAuthFailed
		}
		return as.revision, nil
	}()
	if err != nil {
		return 0, err
	}

	h := sha256.Sum256([]byte(password))
	if !bytes.Equal(user.Password, h[:]) {
		return 0, ErrAuthFailed
	}
	return revision, nil
}

// authenticate is applied by all members in the order of the log. It refuses a
// proposal that was checked at another revision.
func (as *authStore) authenticate(username, token string, checkedRevision uint64) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.revision != checkedRevision {
		return ErrAuthOldRevision
	}
	as.tokens[token] = username
	return nil
}

// Authenticate gives out a token.
func (as *authStore) Authenticate(ctx context.Context, username, password, token string) error {
	for ctx.Err() == nil {
		checkedRevision, err := as.CheckPassword(username, password)
		if err != nil {
			return err
		}
		err = as.authenticate(username, token, checkedRevision)
		if err != ErrAuthOldRevision {
			return err
		}
	}
	return ctx.Err()
}
