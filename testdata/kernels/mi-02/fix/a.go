// Package a routes messages by subject to their subscribers.
package a

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
)

var (
	ErrBadSubject = errors.New("sublist: invalid subject")
	ErrNotFound   = errors.New("sublist: no such subscription")
)

const cacheMax = 1024

// Subscription is the interest of one client in a subject pattern.
type Subscription struct {
	Client  uint64
	SID     string
	Pattern string
}

// Result is a list of receivers. It is shared by callers and not modified.
type Result struct {
	Subs []*Subscription
}

// Sublist holds all subscriptions of an account.
type Sublist struct {
	mu    sync.RWMutex
	subs  map[string][]*Subscription // by pattern
	cache map[string]*Result         // by literal subject
	gen   uint64                     // moves with each change, see Generation
	count int

	matches   atomic.Uint64
	cacheHits atomic.Uint64
	evictions atomic.Uint64
}

// NewSublist returns an empty list.
func NewSublist() *Sublist {
	return &Sublist{
		subs:  make(map[string][]*Subscription),
		cache: make(map[string]*Result),
	}
}

// Insert adds a subscription.
func (s *Sublist) Insert(sub *Subscription) error {
	if !valid(sub.Pattern) {
		return ErrBadSubject
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subs[sub.Pattern] = append(s.subs[sub.Pattern], sub)
	s.count++
	s.changed()
	return nil
}

// Remove takes a subscription out; no message is routed to it afterwards.
func (s *Sublist) Remove(sub *Subscription) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.subs[sub.Pattern]
	for i, have := range list {
		if have != sub {
			continue
		}
		next := make([]*Subscription, 0, len(list)-1)
		next = append(append(next, list[:i]...), list[i+1:]...)
		if len(next) == 0 {
			delete(s.subs, sub.Pattern)
		} else {
			s.subs[sub.Pattern] = next
		}
		s.count--
		s.changed()
		return nil
	}
	return ErrNotFound
}

// changed drops the cached results; the lock is held.
func (s *Sublist) changed() {
	s.gen++
	clear(s.cache)
}

// Match returns the receivers of a message.
func (s *Sublist) Match(subject string) (*Result, error) {
	if !valid(subject) {
		return nil, ErrBadSubject
	}
	s.matches.Add(1)

	s.mu.RLock()
	if r, ok := s.cache[subject]; ok {
		s.mu.RUnlock()
		s.cacheHits.Add(1)
		return r, nil
	}
	r := &Result{}
	for pattern, list := range s.subs {
		if covers(pattern, subject) {
			r.Subs = append(r.Subs, list...)
		}
	}
	gen := s.gen
	s.mu.RUnlock()

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gen != gen {
		return r, nil
	}
	if len(s.cache) >= cacheMax {
		for k := range s.cache {
			delete(s.cache, k)
			s.evictions.Add(1)
			break
		}
	}
	s.cache[subject] = r
	return r, nil
}

// Generation lets a client see whether its own route cache is out of date.
func (s *Sublist) Generation() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.gen
}

// Count is the number of subscriptions.
func (s *Sublist) Count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.count
}

// Stats returns the counters of the monitoring endpoint.
func (s *Sublist) Stats() (matches, hits, evicted uint64) {
	return s.matches.Load(), s.cacheHits.Load(), s.evictions.Load()
}

func valid(subject string) bool {
	return subject != "" && !strings.HasPrefix(subject, ".") && !strings.HasSuffix(subject, ".")
}

// covers reports whether pattern ("*" one token, ">" the rest) covers subject.
func covers(pattern, subject string) bool {
	p, t := strings.Split(pattern, "."), strings.Split(subject, ".")
	for i, tok := range p {
		if i >= len(t) {
			return false
		}
		if tok == ">" {
			return true
		}
		if tok != "*" && tok != t[i] {
			return false
		}
	}
	return len(p) == len(t)
}
