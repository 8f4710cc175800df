// Package sessions keeps the login sessions of the web console in memory. A
// session is found by its token for every request, and by its user when a
// password is changed or an account is locked.
package sessions

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrNoSession is returned for a token that is unknown, revoked or expired.
var ErrNoSession = errors.New("sessions: no such session")

// Session is one login. It is not changed after it was made.
type Session struct {
	Token   string
	User    string
	Agent   string
	Expires time.Time
}

// Store holds the sessions. Request handlers use it concurrently.
type Store struct {
	ttl     time.Duration
	perUser int
	now     func() time.Time

	mu      sync.RWMutex
	byToken map[string]*Session
	byUser  map[string][]string // tokens, oldest first
}

// NewStore returns a store whose sessions live for ttl. A user has at most
// perUser sessions; a further login ends the oldest one.
func NewStore(ttl time.Duration, perUser int) *Store {
	return &Store{
		ttl:     ttl,
		perUser: perUser,
		now:     time.Now,
		byToken: make(map[string]*Session),
		byUser:  make(map[string][]string),
	}
}

// Login opens a session for the user, who was authenticated by the caller.
func (st *Store) Login(user, agent string) *Session {
	s := &Session{
		Token:   rand.Text(),
		User:    user,
		Agent:   agent,
		Expires: st.now().Add(st.ttl),
	}
	st.track(s)
	st.insert(s)
	return s
}

// track lists the session under its user and makes room if there are too many.
func (st *Store) track(s *Session) {
	st.mu.Lock()
	defer st.mu.Unlock()
	tokens := st.byUser[s.User]
	for len(tokens) >= st.perUser && len(tokens) > 0 {
		delete(st.byToken, tokens[0])
		tokens = slices.Delete(tokens, 0, 1)
	}
	st.byUser[s.User] = append(tokens, s.Token)
}

// insert makes the session known by its token.
func (st *Store) insert(s *Session) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.byToken[s.Token] = s
}

// Lookup returns the session of a request.
func (st *Store) Lookup(token string) (*Session, error) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	s, ok := st.byToken[token]
	if !ok || !st.now().Before(s.Expires) {
		return nil, ErrNoSession
	}
	return s, nil
}

// Logout ends one session.
func (st *Store) Logout(token string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if s, ok := st.byToken[token]; ok {
		st.dropLocked(s)
	}
}

// RevokeUser ends all sessions of the user and returns how many there were.
func (st *Store) RevokeUser(user string) int {
	st.mu.Lock()
	defer st.mu.Unlock()
	tokens := st.byUser[user]
	for _, t := range tokens {
		delete(st.byToken, t)
	}
	delete(st.byUser, user)
	return len(tokens)
}

// List returns the open sessions of a user for the account page.
func (st *Store) List(user string) []Session {
	st.mu.RLock()
	defer st.mu.RUnlock()
	var out []Session
	for _, t := range st.byUser[user] {
		if s, ok := st.byToken[t]; ok {
			out = append(out, *s)
		}
	}
	return out
}

// Sweep drops expired sessions until ctx ends.
func (st *Store) Sweep(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			st.sweepOnce()
		case <-ctx.Done():
			return
		}
	}
}

func (st *Store) sweepOnce() {
	st.mu.Lock()
	defer st.mu.Unlock()
	now := st.now()
	for _, s := range st.byToken {
		if !now.Before(s.Expires) {
			st.dropLocked(s)
		}
	}
}

// dropLocked takes the session out of both maps; st.mu is held.
func (st *Store) dropLocked(s *Session) {
	delete(st.byToken, s.Token)
	tokens := st.byUser[s.User]
	if i := slices.Index(tokens, s.Token); i >= 0 {
		tokens = slices.Delete(tokens, i, i+1)
	}
	if len(tokens) == 0 {
		delete(st.byUser, s.User)
		return
	}
	st.byUser[s.User] = tokens
}
