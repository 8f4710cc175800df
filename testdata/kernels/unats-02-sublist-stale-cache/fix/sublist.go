// Package fix finds the subscriptions for a subject.
package fix

import (
	"strings"
	"sync"
	"sync/atomic"
)

const (
	cacheMax   = 1024
	cacheSweep = 512
)

// Subscription is one interest. Its subject may contain "*" tokens.
type Subscription struct {
	Subject string
	Deliver func(msg []byte)
}

// Result is a match. It is shared and never modified.
type Result struct {
	Subs []*Subscription
}

func (r *Result) with(sub *Subscription) *Result {
	return &Result{Subs: append(append([]*Subscription(nil), r.Subs...), sub)}
}

type node struct {
	next map[string]*node
	subs []*Subscription
}

// Sublist is a tree of subscriptions with a cache of results.
type Sublist struct {
	sync.RWMutex
	root *node

	cache    sync.Map // subject -> *Result
	cacheNum atomic.Int32
	sweeping atomic.Int32
}

// NewSublist returns an empty list.
func NewSublist() *Sublist { return &Sublist{root: &node{next: make(map[string]*node)}} }

// Insert adds a subscription.
func (s *Sublist) Insert(sub *Subscription) {
	s.Lock()
	defer s.Unlock()
	n := s.root
	for _, tok := range strings.Split(sub.Subject, ".") {
		child := n.next[tok]
		if child == nil {
			child = &node{next: make(map[string]*node)}
			n.next[tok] = child
		}
		n = child
	}
	n.subs = append(n.subs, sub)
	s.addToCache(sub)
}

// Remove takes a subscription out.
func (s *Sublist) Remove(sub *Subscription) {
	s.Lock()
	defer s.Unlock()
	n := s.root
	for _, tok := range strings.Split(sub.Subject, ".") {
		if n = n.next[tok]; n == nil {
			return
		}
	}
	for i, have := range n.subs {
		if have == sub {
			n.subs = append(n.subs[:i:i], n.subs[i+1:]...)
			break
		}
	}
	s.removeFromCache(sub)
}

// addToCache extends cached results. The write lock is held.
func (s *Sublist) addToCache(sub *Subscription) {
	s.cache.Range(func(k, v any) bool {
		if matches(sub.Subject, k.(string)) {
			s.cache.Store(k, v.(*Result).with(sub))
		}
		return true
	})
}

// removeFromCache drops cached results. The write lock is held.
func (s *Sublist) removeFromCache(sub *Subscription) {
	s.cache.Range(func(k, v any) bool {
		if matches(sub.Subject, k.(string)) {
			s.cache.Delete(k)
			s.cacheNum.Add(-1)
		}
		return true
	})
}

// Match returns the subscriptions for a literal subject.
func (s *Sublist) Match(subject string) *Result {
	if r, ok := s.cache.Load(subject); ok {
		return r.(*Result)
	}

	result := &Result{}
	tokens := strings.Split(subject, ".")

	// The read lock is held over the store, so that no change of the tree
	// comes between the match and the cache.
	s.RLock()
	matchLevel(s.root, tokens, result)
	s.cache.Store(subject, result)
	n := s.cacheNum.Add(1)
	s.RUnlock()

	if n > cacheMax && s.sweeping.CompareAndSwap(0, 1) {
		go s.reduceCache()
	}
	return result
}

func matchLevel(n *node, tokens []string, result *Result) {
	if len(tokens) == 0 {
		result.Subs = append(result.Subs, n.subs...)
		return
	}
	for _, tok := range []string{tokens[0], "*"} {
		if child := n.next[tok]; child != nil {
			matchLevel(child, tokens[1:], result)
		}
	}
}

func matches(pattern, subject string) bool {
	p, t := strings.Split(pattern, "."), strings.Split(subject, ".")
	if len(p) != len(t) {
		return false
	}
	for i := range p {
		if p[i] != "*" && p[i] != t[i] {
			return false
		}
	}
	return true
}

// reduceCache drops results until the cache is small again. Running it next to
// the other users of the cache only makes the count approximate.
func (s *Sublist) reduceCache() {
	defer s.sweeping.Store(0)
	s.cache.Range(func(k, _ any) bool {
		s.cache.Delete(k)
		return s.cacheNum.Add(-1) >= cacheSweep
	})
}
