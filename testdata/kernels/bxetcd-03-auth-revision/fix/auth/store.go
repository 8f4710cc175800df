// Package auth knows users, roles and tokens.
package auth

import (
	"errors"
	"sync"
)

// ErrPermissionDenied is returned if a user may not do something.
var ErrPermissionDenied = errors.New("auth: permission denied")

// Info is what is known about the sender of a request.
type Info struct {
	Username string
	Revision uint64
}

type perm struct{ read, write bool }

// Store is safe for concurrent use.
type Store struct {
	tokensMu sync.RWMutex
	tokens   map[string]string // token -> user

	mu       sync.RWMutex
	users    map[string]string          // user -> role
	roles    map[string]map[string]perm // role -> key -> permission
	revision uint64
}

// Revision counts the changes of users and roles.
func (as *Store) Revision() uint64 {
	as.mu.RLock()
	defer as.mu.RUnlock()
	return as.revision
}

// InfoFromToken finds the user of a token.
func (as *Store) InfoFromToken(token string) (*Info, bool) {
	// The revision is taken first: what is read later is at least as new.
	rev := as.Revision()
	as.tokensMu.RLock()
	defer as.tokensMu.RUnlock()
	t, ok := as.tokens[token]
	return &Info{Username: t, Revision: rev}, ok
}

func (as *Store) permOf(ai *Info, key string) perm {
	as.mu.RLock()
	defer as.mu.RUnlock()
	return as.roles[as.users[ai.Username]][key]
}

// IsRangePermitted checks the read permission of the user.
func (as *Store) IsRangePermitted(ai *Info, key string) error {
	if !as.permOf(ai, key).read {
		return ErrPermissionDenied
	}
	return nil
}

// IsPutPermitted checks the write permission of the user.
func (as *Store) IsPutPermitted(ai *Info, key string) error {
	if !as.permOf(ai, key).write {
		return ErrPermissionDenied
	}
	return nil
}

// RevokePermission takes a key away from a role.
func (as *Store) RevokePermission(role, key string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	delete(as.roles[role], key)
	as.revision++
}
