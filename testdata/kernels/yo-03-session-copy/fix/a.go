// Package session stores login sessions by value.
package session

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"sync"
	"time"
)

type Session struct {
	ID       string
	User     string
	Views    int
	Theme    string
	Verified bool
	SeenAt   time.Time
}

type Store struct {
	mu   sync.RWMutex
	byID map[string]Session
	now  func() time.Time
}

func NewStore() *Store {
	return &Store{byID: make(map[string]Session), now: time.Now}
}

func newID() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func (s *Store) Create(user string) Session {
	sess := Session{ID: newID(), User: user, SeenAt: s.now()}
	s.Save(sess)
	return sess
}

func (s *Store) Lookup(id string) (Session, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	sess, ok := s.byID[id]
	return sess, ok
}

func (s *Store) Save(sess Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[sess.ID] = sess
}

func (s *Store) Logout(id string) {
	s.mu.Lock()
	delete(s.byID, id)
	s.mu.Unlock()
}

// MarkVerified is called by the mail confirmation hook.
func (s *Store) MarkVerified(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess, ok := s.byID[id]
	if !ok {
		return false
	}
	sess.Verified = true
	s.byID[id] = sess
	return true
}

// touch notes a page view on the session.
func (s *Store) touch(id string) (Session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess, ok := s.byID[id]
	if !ok {
		return Session{}, false
	}
	sess.Views++
	sess.SeenAt = s.now()
	s.byID[id] = sess
	return sess, true
}

// Middleware rejects requests without a live session.
func (s *Store) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ck, err := r.Cookie("sid")
		if err != nil {
			http.Error(w, "login required", http.StatusUnauthorized)
			return
		}
		sess, ok := s.touch(ck.Value)
		if !ok {
			http.Error(w, "session expired", http.StatusUnauthorized)
			return
		}
		r.Header.Set("X-User", sess.User)
		next.ServeHTTP(w, r)
	})
}
