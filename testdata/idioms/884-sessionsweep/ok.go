// Package sessions holds the login sessions of the portal in shards and ends
// those that have been idle for too long.
package sessions

import (
	"context"
	"crypto/rand"
	"hash/maphash"
	"log/slog"
	"sync"
	"time"
)

const shardCount = 32

// Session is one login.
type Session struct {
	ID       string
	User     string
	LastSeen time.Time
}

type shard struct {
	mu   sync.RWMutex
	byID map[string]Session
}

// idle lists the sessions not seen since the given time.
func (s *shard) idle(since time.Time) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var ids []string
	for id, sess := range s.byID {
		if sess.LastSeen.Before(since) {
			ids = append(ids, id)
		}
	}
	return ids
}

// removeIdle removes a session unless it has been seen since the given time.
func (s *shard) removeIdle(id string, since time.Time) (Session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess, ok := s.byID[id]
	if !ok || !sess.LastSeen.Before(since) {
		return Session{}, false
	}
	delete(s.byID, id)
	return sess, true
}

// Audit records the end of a session.
type Audit interface {
	Ended(ctx context.Context, s Session, reason string) error
}

// Store holds all sessions. It is safe for concurrent use.
type Store struct {
	maxIdle time.Duration
	audit   Audit
	log     *slog.Logger
	seed    maphash.Seed
	shards  [shardCount]shard
}

// NewStore returns an empty store that ends sessions after maxIdle.
func NewStore(maxIdle time.Duration, audit Audit, log *slog.Logger) *Store {
	st := &Store{maxIdle: maxIdle, audit: audit, log: log, seed: maphash.MakeSeed()}
	for i := range st.shards {
		st.shards[i].byID = make(map[string]Session)
	}
	return st
}

func (st *Store) shard(id string) *shard {
	return &st.shards[maphash.String(st.seed, id)%shardCount]
}

// Login opens a session for user.
func (st *Store) Login(user string) Session {
	sess := Session{ID: rand.Text(), User: user, LastSeen: time.Now()}
	sh := st.shard(sess.ID)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.byID[sess.ID] = sess
	return sess
}

// Touch looks up a session and marks it as seen.
func (st *Store) Touch(id string) (Session, bool) {
	sh := st.shard(id)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sess, ok := sh.byID[id]
	if !ok {
		return Session{}, false
	}
	sess.LastSeen = time.Now()
	sh.byID[id] = sess
	return sess, true
}

// Logout ends a session.
func (st *Store) Logout(ctx context.Context, id string) {
	sh := st.shard(id)
	sh.mu.Lock()
	sess, ok := sh.byID[id]
	delete(sh.byID, id)
	sh.mu.Unlock()
	if ok {
		st.ended(ctx, sess, "logout")
	}
}

func (st *Store) ended(ctx context.Context, sess Session, reason string) {
	if err := st.audit.Ended(ctx, sess, reason); err != nil {
		st.log.Error("audit", "user", sess.User, "reason", reason, "err", err)
	}
}

// sweep ends the sessions that have been idle for too long. Requests wait for
// a shard only while one session is being removed from it.
func (st *Store) sweep(ctx context.Context) {
	since := time.Now().Add(-st.maxIdle)
	for i := range st.shards {
		sh := &st.shards[i]
		for _, id := range sh.idle(since) {
			if sess, ok := sh.removeIdle(id, since); ok {
				st.ended(ctx, sess, "idle")
			}
		}
	}
}

// Run sweeps every interval until ctx ends.
func (st *Store) Run(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			st.sweep(ctx)
		case <-ctx.Done():
			return
		}
	}
}
