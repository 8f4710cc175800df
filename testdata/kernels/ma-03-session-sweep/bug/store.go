// Package sessions holds login sessions in memory, split over shards.
package sessions

import (
	"hash/maphash"
	"log"
	"sync"
	"time"
)

const shardCount = 16

// Session is the state of one login.
type Session struct {
	ID       string
	User     string
	Values   map[string]string
	deadline time.Time
}

type shard struct {
	sync.RWMutex
	byID map[string]*Session
}

// Store is a sharded session store with sliding expiry.
type Store struct {
	seed   maphash.Seed
	ttl    time.Duration
	shards [shardCount]shard
	onGone func(id string)

	stop chan struct{}
	wg   sync.WaitGroup
}

// Option changes a Store under construction.
type Option func(*Store)

// OnGone registers a callback for sessions that were swept.
func OnGone(fn func(id string)) Option {
	return func(s *Store) { s.onGone = fn }
}

// Open starts a store whose sessions live for ttl after the last use.
func Open(ttl time.Duration, opts ...Option) *Store {
	s := &Store{
		seed:   maphash.MakeSeed(),
		ttl:    ttl,
		onGone: func(string) {},
		stop:   make(chan struct{}),
	}
	for i := range s.shards {
		s.shards[i].byID = make(map[string]*Session)
	}
	for _, o := range opts {
		o(s)
	}
	s.wg.Add(1)
	go s.run(ttl / 4)
	return s
}

func (s *Store) shardOf(id string) *shard {
	return &s.shards[maphash.String(s.seed, id)%shardCount]
}

// Create adds a session.
func (s *Store) Create(id, user string) {
	sh := s.shardOf(id)
	sh.Lock()
	defer sh.Unlock()
	sh.byID[id] = &Session{
		ID:       id,
		User:     user,
		Values:   make(map[string]string),
		deadline: time.Now().Add(s.ttl),
	}
}

// Touch extends a session and returns its user.
func (s *Store) Touch(id string) (user string, ok bool) {
	now := time.Now()
	sh := s.shardOf(id)
	sh.Lock()
	defer sh.Unlock()
	sess, ok := sh.byID[id]
	if !ok {
		return "", false
	}
	sess.deadline = now.Add(s.ttl)
	return sess.User, true
}

// SetValue stores a value in a session.
func (s *Store) SetValue(id, key, value string) bool {
	sh := s.shardOf(id)
	sh.Lock()
	defer sh.Unlock()
	sess, ok := sh.byID[id]
	if ok {
		sess.Values[key] = value
	}
	return ok
}

func (sh *shard) overdue(now time.Time) []string {
	sh.RLock()
	defer sh.RUnlock()
	var ids []string
	for id, sess := range sh.byID {
		if now.After(sess.deadline) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (sh *shard) drop(id string) bool {
	sh.Lock()
	defer sh.Unlock()
	if _, ok := sh.byID[id]; !ok {
		return false
	}
	delete(sh.byID, id)
	return true
}

func (s *Store) sweep(now time.Time) (gone int) {
	for i := range s.shards {
		sh := &s.shards[i]
		for _, id := range sh.overdue(now) {
			if sh.drop(id) {
				s.onGone(id)
				gone++
			}
		}
	}
	return gone
}

func (s *Store) run(every time.Duration) {
	defer s.wg.Done()
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			if n := s.sweep(now); n > 0 {
				log.Printf("sessions: swept %d", n)
			}
		case <-s.stop:
			return
		}
	}
}

// Close ends the sweeper.
func (s *Store) Close() {
	close(s.stop)
	s.wg.Wait()
}
