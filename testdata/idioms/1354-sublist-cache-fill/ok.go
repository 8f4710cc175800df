package server

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	slCacheMax   = 1024
	slCacheSweep = 256
)

var (
	errInvalidSubject = errors.New("sublist: invalid subject")
	errNotFound       = errors.New("sublist: no matches found")
)

// Subscription is one interest.
type Subscription struct {
	Subject string
	Deliver func(msg []byte)
}

// SublistResult is not changed once it has been returned.
type SublistResult struct {
	psubs []*Subscription
}

var emptyResult = &SublistResult{}

// Sublist stores and efficiently retrieves subscriptions.
type Sublist struct {
	sync.RWMutex
	matches   uint64
	cacheHits uint64
	subs      map[string]map[*Subscription]struct{}
	cache     map[string]*SublistResult
	ccSweep   int32
}

// NewSublist will create a sublist, with or without a cache.
func NewSublist(enableCache bool) *Sublist {
	s := &Sublist{subs: make(map[string]map[*Subscription]struct{})}
	if enableCache {
		s.cache = make(map[string]*SublistResult)
	}
	return s
}

// Insert adds a subscription into the sublist
func (s *Sublist) Insert(sub *Subscription) error {
	if sub.Subject == "" {
		return errInvalidSubject
	}
	s.Lock()
	defer s.Unlock()
	if s.subs[sub.Subject] == nil {
		s.subs[sub.Subject] = make(map[*Subscription]struct{})
	}
	s.subs[sub.Subject][sub] = struct{}{}
	s.removeFromCache(sub.Subject)
	return nil
}

// Remove will remove a subscription.
func (s *Sublist) Remove(sub *Subscription) error {
	s.Lock()
	defer s.Unlock()
	if _, ok := s.subs[sub.Subject][sub]; !ok {
		return errNotFound
	}
	delete(s.subs[sub.Subject], sub)
	s.removeFromCache(sub.Subject)
	return nil
}

func matchLiteral(literal, subject string) bool {
	if prefix, ok := strings.CutSuffix(subject, ">"); ok {
		return strings.HasPrefix(literal, prefix)
	}
	return literal == subject
}

// Lock should be held.
func (s *Sublist) removeFromCache(subject string) {
	for key := range s.cache {
		if matchLiteral(key, subject) {
			delete(s.cache, key)
		}
	}
}

// Match will match all entries to the literal subject.
func (s *Sublist) Match(subject string) *SublistResult {
	atomic.AddUint64(&s.matches, 1)

	// Check cache first.
	s.RLock()
	cacheEnabled := s.cache != nil
	r, ok := s.cache[subject]
	s.RUnlock()
	if ok {
		atomic.AddUint64(&s.cacheHits, 1)
		return r
	}

	// Get result from the main structure and place into the shared cache.
	// Hold the lock to avoid race between match and store.
	result := &SublistResult{}
	var n int

	if cacheEnabled {
		s.Lock()
	} else {
		s.RLock()
	}
	s.matchAll(subject, result)
	if len(result.psubs) == 0 {
		result = emptyResult
	}
	if cacheEnabled {
		s.cache[subject] = result
		n = len(s.cache)
		s.Unlock()
	} else {
		s.RUnlock()
	}

	// Reduce the cache count if we have exceeded our set maximum.
	if cacheEnabled && n > slCacheMax && atomic.CompareAndSwapInt32(&s.ccSweep, 0, 1) {
		go s.reduceCacheCount()
	}
	return result
}

func (s *Sublist) matchAll(subject string, result *SublistResult) {
	for pattern, subs := range s.subs {
		if matchLiteral(subject, pattern) {
			for sub := range subs {
				result.psubs = append(result.psubs, sub)
			}
		}
	}
}

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
