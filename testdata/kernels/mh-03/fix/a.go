// Package a keeps client sessions with a time to live. A session holds locks
// on keys; when it is not renewed in time the locks are given back.
package a

import (
	"errors"
	"sort"
	"sync"
	"time"
)

var (
	ErrNoSession = errors.New("session does not exist")
	ErrExists    = errors.New("session already exists")
	ErrHeld      = errors.New("key is locked by another session")
)

// session is one client session; the keeper's mutex protects it.
type session struct {
	id    string
	ttl   time.Duration
	timer *time.Timer
	epoch uint64
	keys  map[string]struct{}
}

// Keeper tracks the sessions on the leader.
type Keeper struct {
	mu       sync.Mutex
	sessions map[string]*session
	owners   map[string]string // key -> session id
	seq      uint64            // counts the times a timer was armed
	onExpire func(id string, keys []string)
}

// NewKeeper returns a keeper; onExpire (may be nil) hears of each session that
// ran out, with the keys it held.
func NewKeeper(onExpire func(id string, keys []string)) *Keeper {
	return &Keeper{
		sessions: make(map[string]*session),
		owners:   make(map[string]string),
		onExpire: onExpire,
	}
}

// Create starts a session under an ID that the client chose.
func (k *Keeper) Create(id string, ttl time.Duration) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.sessions[id]; ok {
		return ErrExists
	}
	s := &session{id: id, ttl: ttl, keys: make(map[string]struct{})}
	k.sessions[id] = s
	k.armLocked(s)
	return nil
}

// Renew extends the session by its full time to live, counted from now.
func (k *Keeper) Renew(id string) (time.Duration, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.sessions[id]
	if !ok {
		return 0, ErrNoSession
	}
	k.armLocked(s)
	return s.ttl, nil
}

// armLocked replaces the timer of the session by a fresh one.
func (k *Keeper) armLocked(s *session) {
	if s.timer != nil {
		s.timer.Stop()
	}
	k.seq++
	s.epoch = k.seq
	id, epoch := s.id, s.epoch
	s.timer = time.AfterFunc(s.ttl, func() { k.expire(id, epoch) })
}

// Lock gives key to the session, which may hold it already.
func (k *Keeper) Lock(id, key string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.sessions[id]
	if !ok {
		return ErrNoSession
	}
	if owner, held := k.owners[key]; held && owner != id {
		return ErrHeld
	}
	k.owners[key] = id
	s.keys[key] = struct{}{}
	return nil
}

// Unlock gives key back.
func (k *Keeper) Unlock(id, key string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.sessions[id]
	if !ok {
		return ErrNoSession
	}
	if _, held := s.keys[key]; held {
		delete(s.keys, key)
		delete(k.owners, key)
	}
	return nil
}

// Owner returns the session that holds key.
func (k *Keeper) Owner(key string) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	id, ok := k.owners[key]
	return id, ok
}

// Destroy ends a session at the wish of its client.
func (k *Keeper) Destroy(id string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.sessions[id]
	if !ok {
		return ErrNoSession
	}
	s.timer.Stop()
	k.dropLocked(s)
	return nil
}

// expire runs on the timer of a session that was not renewed.
func (k *Keeper) expire(id string, epoch uint64) {
	k.mu.Lock()
	s, ok := k.sessions[id]
	if !ok || s.epoch != epoch {
		k.mu.Unlock()
		return
	}
	keys := k.dropLocked(s)
	k.mu.Unlock()

	if k.onExpire != nil {
		k.onExpire(id, keys)
	}
}

// dropLocked forgets the session and gives back its keys.
func (k *Keeper) dropLocked(s *session) []string {
	keys := make([]string, 0, len(s.keys))
	for key := range s.keys {
		keys = append(keys, key)
		delete(k.owners, key)
	}
	sort.Strings(keys)
	delete(k.sessions, s.id)
	return keys
}

// Len returns the number of live sessions.
func (k *Keeper) Len() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.sessions)
}
