// Package server delivers messages to the subscriptions that match.
package server

import (
	"strings"
	"sync"
	"sync/atomic"
)

const (
	// slCacheMax is used to bound limit the frontend cache
	slCacheMax = 1024
	// If we run a sweeper we will drain to this count.
	slCacheSweep = 256
	// maxResultCacheSize bounds the cache of a connection.
	maxResultCacheSize = 512
	pruneSize          = 32
)

// Subscription receives messages. It may still get the messages that are on
// their way when it is removed.
type Subscription struct {
	Subject string // ends with ">" if it is a prefix
	Deliver func(subject string, msg []byte)
}

// SublistResult is a result structure better optimized for the hot path.
// It is never changed.
type SublistResult struct {
	psubs []*Subscription
}

var emptyResult = &SublistResult{}

// Sublist stores and efficiently retrieves subscriptions.
type Sublist struct {
	genid     uint64
	matches   uint64
	cacheHits uint64
	ccSweep   int32

	sync.RWMutex
	exact  map[string]map[*Subscription]struct{}
	prefix map[string]map[*Subscription]struct{}
	cache  map[string]*SublistResult
}

// NewSublist will create an empty one.
func NewSublist() *Sublist {
	return &Sublist{
		exact:  make(map[string]map[*Subscription]struct{}),
		prefix: make(map[string]map[*Subscription]struct{}),
		cache:  make(map[string]*SublistResult),
	}
}

// Insert adds a subscription into the sublist
func (s *Sublist) Insert(sub *Subscription) {
	s.Lock()
	m, key := s.level(sub)
	subs, ok := m[key]
	if !ok {
		subs = make(map[*Subscription]struct{})
		m[key] = subs
	}
	subs[sub] = struct{}{}
	s.removeFromCache(sub.Subject)
	atomic.AddUint64(&s.genid, 1)
	s.Unlock()
}

// Remove will remove a subscription.
func (s *Sublist) Remove(sub *Subscription) {
	s.Lock()
	m, key := s.level(sub)
	delete(m[key], sub)
	if len(m[key]) == 0 {
		delete(m, key)
	}
	s.removeFromCache(sub.Subject)
	atomic.AddUint64(&s.genid, 1)
	s.Unlock()
}

// Lock should be held.
func (s *Sublist) level(sub *Subscription) (map[string]map[*Subscription]struct{}, string) {
	if p, ok := strings.CutSuffix(sub.Subject, ">"); ok {
		return s.prefix, p
	}
	return s.exact, sub.Subject
}

// Remove the subject from the cache.
// Lock should be held.
func (s *Sublist) removeFromCache(subject string) {
	// If literal we can direct match.
	p, ok := strings.CutSuffix(subject, ">")
	if !ok {
		delete(s.cache, subject)
		return
	}
	// Wildcard here.
	for key := range s.cache {
		if strings.HasPrefix(key, p) {
			delete(s.cache, key)
		}
	}
}

// Match will match all entries to the literal subject.
func (s *Sublist) Match(subject string) *SublistResult {
	atomic.AddUint64(&s.matches, 1)

	// Check cache first.
	s.RLock()
	r, ok := s.cache[subject]
	s.RUnlock()
	if ok {
		atomic.AddUint64(&s.cacheHits, 1)
		return r
	}

	result := &SublistResult{}
	// Get result from the main structure and place into the shared cache.
	// Hold the lock to avoid race between match and store.
	s.Lock()
	for sub := range s.exact[subject] {
		result.psubs = append(result.psubs, sub)
	}
	for p, subs := range s.prefix {
		if strings.HasPrefix(subject, p) {
			for sub := range subs {
				result.psubs = append(result.psubs, sub)
			}
		}
	}
	// Check for empty result.
	if len(result.psubs) == 0 {
		result = emptyResult
	}
	s.cache[subject] = result
	n := len(s.cache)
	s.Unlock()

	// Reduce the cache count if we have exceeded our set maximum.
	if n > slCacheMax && atomic.CompareAndSwapInt32(&s.ccSweep, 0, 1) {
		go s.reduceCacheCount()
	}
	return result
}

// Remove entries in the cache until we are under the maximum.
func (s *Sublist) reduceCacheCount() {
	defer atomic.StoreInt32(&s.ccSweep, 0)
	// If we are over the cache limit randomly drop until under the limit.
	s.Lock()
	for key := range s.cache {
		delete(s.cache, key)
		if len(s.cache) <= slCacheSweep {
			break
		}
	}
	s.Unlock()
}

// readCache is for the goroutine of the connection only.
type readCache struct {
	genid   uint64
	results map[string]*SublistResult
}

type client struct {
	sl *Sublist
	in readCache
}

type inMsg struct {
	subject string
	data    []byte
}

// ServeClient delivers the messages of a connection.
func ServeClient(sl *Sublist, msgs <-chan inMsg) {
	c := &client{sl: sl}
	go func() {
		for msg := range msgs {
			c.processInboundClientMsg(msg.subject, msg.data)
		}
	}()
}

// processInboundClientMsg is called to process an inbound msg from a client.
// It returns if the message was delivered.
func (c *client) processInboundClientMsg(subject string, msg []byte) bool {
	// Match the subscriptions. We will use our own L1 map if
	// it's still valid, avoiding contention on the shared sublist.
	var r *SublistResult
	var ok bool

	genid := atomic.LoadUint64(&c.sl.genid)
	if genid == c.in.genid && c.in.results != nil {
		r, ok = c.in.results[subject]
	} else {
		// Reset our L1 completely.
		c.in.results = make(map[string]*SublistResult)
		c.in.genid = genid
	}

	// Go back to the sublist data structure.
	if !ok {
		r = c.sl.Match(subject)
		if len(r.psubs) > 0 {
			// Prune the results cache. Keeps us from unbounded growth. Random delete.
			if len(c.in.results) >= maxResultCacheSize {
				n := 0
				for subject := range c.in.results {
					delete(c.in.results, subject)
					if n++; n > pruneSize {
						break
					}
				}
			}
			// Then add the new cache entry.
			c.in.results[subject] = r
		}
	}
	for _, sub := range r.psubs {
		sub.Deliver(subject, msg)
	}
	return len(r.psubs) > 0
}
