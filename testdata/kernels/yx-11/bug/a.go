package a

import (
	"crypto/tls"
	"sync"
	"sync/atomic"
	"time"
)

type session struct {
	state   *tls.ClientSessionState
	expires time.Time
}

// SessionCache is a tls.ClientSessionCache with a lifetime per session, shared
// by all outgoing connections of a proxy.
type SessionCache struct {
	ttl time.Duration
	max int

	mu       sync.RWMutex
	sessions map[string]session

	hits   atomic.Uint64
	misses atomic.Uint64
}

var _ tls.ClientSessionCache = (*SessionCache)(nil)

func NewSessionCache(ttl time.Duration, max int) *SessionCache {
	return &SessionCache{ttl: ttl, max: max, sessions: make(map[string]session)}
}

// Get implements tls.ClientSessionCache.
func (c *SessionCache) Get(key string) (*tls.ClientSessionState, bool) {
	c.mu.RLock()
	s, ok := c.sessions[key]
	c.mu.RUnlock()

	if ok && time.Now().After(s.expires) {
		c.remove(key)
		ok = false
	}
	if !ok {
		c.misses.Add(1)
		return nil, false
	}
	c.hits.Add(1)
	return s.state, true
}

// Put implements tls.ClientSessionCache; a nil state removes the session.
func (c *SessionCache) Put(key string, cs *tls.ClientSessionState) {
	if cs == nil {
		c.remove(key)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.sessions[key]; !known && len(c.sessions) >= c.max {
		c.evictOldest()
	}
	c.sessions[key] = session{state: cs, expires: time.Now().Add(c.ttl)}
}

func (c *SessionCache) remove(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, key)
}

// evictOldest is called with c.mu held.
func (c *SessionCache) evictOldest() {
	var victim string
	var oldest time.Time
	for k, s := range c.sessions {
		if oldest.IsZero() || s.expires.Before(oldest) {
			victim, oldest = k, s.expires
		}
	}
	delete(c.sessions, victim)
}

// HitRate is the share of lookups which could be resumed.
func (c *SessionCache) HitRate() float64 {
	h, m := c.hits.Load(), c.misses.Load()
	if h+m == 0 {
		return 0
	}
	return float64(h) / float64(h+m)
}
