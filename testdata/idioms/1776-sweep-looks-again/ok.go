// Package a keeps client sessions with a time to live.
package a

import (
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var ErrNoSession = errors.New("session: not found")

type session struct {
	id     string
	owner  string
	expiry time.Time
	locks  map[string]struct{}
}

// Sessions is the table.
type Sessions struct {
	ttl   time.Duration
	ended func(id string, locks []string) // told of each session that ended

	mu  sync.RWMutex
	byI map[string]*session
	seq uint64

	renewed atomic.Int64
	expired atomic.Int64
	spared  atomic.Int64
}

// NewSessions returns an empty table.
func NewSessions(ttl time.Duration, ended func(string, []string)) *Sessions {
	return &Sessions{ttl: ttl, ended: ended, byI: make(map[string]*session)}
}

// Create opens a session. Its id is never used again.
func (s *Sessions) Create(owner string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	id := fmt.Sprintf("s%08x", s.seq)
	s.byI[id] = &session{id: id, owner: owner, expiry: time.Now().Add(s.ttl), locks: make(map[string]struct{})}
	return id
}

// Renew prolongs a session.
func (s *Sessions) Renew(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	se, ok := s.byI[id]
	if !ok {
		return ErrNoSession
	}
	se.expiry = time.Now().Add(s.ttl)
	s.renewed.Add(1)
	return nil
}

// Hold notes that the session has a lock.
func (s *Sessions) Hold(id, lock string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	se, ok := s.byI[id]
	if !ok {
		return ErrNoSession
	}
	se.locks[lock] = struct{}{}
	return nil
}

// Sweep ends the sessions that are over. The table is large and mostly alive:
// the search shares the lock with readers.
func (s *Sessions) Sweep(now time.Time) int {
	var due []string
	s.mu.RLock()
	for id, se := range s.byI {
		if se.expiry.Before(now) {
			due = append(due, id)
		}
	}
	s.mu.RUnlock()

	n := 0
	for _, id := range due {
		s.mu.Lock()
		se, ok := s.byI[id]
		if !ok || !se.expiry.Before(now) {
			s.mu.Unlock()
			s.spared.Add(1)
			continue
		}
		delete(s.byI, id)
		s.mu.Unlock()
		s.expired.Add(1)
		n++
		log.Printf("session: %s of %s expired", id, se.owner)
		s.ended(id, held(se))
	}
	return n
}

// Destroy ends a session at the wish of its owner.
func (s *Sessions) Destroy(id string) error {
	s.mu.Lock()
	se, ok := s.byI[id]
	delete(s.byI, id)
	s.mu.Unlock()
	if !ok {
		return ErrNoSession
	}
	s.ended(id, held(se))
	return nil
}

// held lists the locks of a session that is no longer in the table.
func held(se *session) []string {
	out := make([]string, 0, len(se.locks))
	for l := range se.locks {
		out = append(out, l)
	}
	return out
}

// Len is the number of sessions.
func (s *Sessions) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.byI)
}
