// Package ok matches subjects against subscriptions, with a cache.
package ok

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Sub is interest in all subjects with a prefix.
type Sub struct {
	Prefix  string
	Deliver func(subject string, data []byte)
}

type result struct {
	gen  uint64
	subs []*Sub
}

// List holds subscriptions.
type List struct {
	genid atomic.Uint64 // changes with subs, under mu

	mu   sync.RWMutex
	subs []*Sub

	cacheMu sync.RWMutex
	cache   map[string]result
}

const cacheMax = 1024

// NewList returns an empty list.
func NewList() *List { return &List{cache: make(map[string]result)} }

// Insert adds a subscription.
func (l *List) Insert(s *Sub) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.subs = append(l.subs, s)
	l.genid.Add(1)
}

// Remove drops a subscription; messages on their way may still arrive.
func (l *List) Remove(s *Sub) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.subs, s)
	if i < 0 {
		return false
	}
	l.subs = slices.Delete(l.subs, i, i+1)
	l.genid.Add(1)
	return true
}

func (l *List) fromCache(subject string) ([]*Sub, bool) {
	l.cacheMu.RLock()
	r, ok := l.cache[subject]
	l.cacheMu.RUnlock()
	if !ok || r.gen != l.genid.Load() {
		return nil, false
	}
	return r.subs, true
}

// Match returns the subscriptions of a subject; the result is read-only.
func (l *List) Match(subject string) []*Sub {
	if subs, ok := l.fromCache(subject); ok {
		return subs
	}

	var r result
	l.mu.RLock()
	r.gen = l.genid.Load()
	for _, s := range l.subs {
		if strings.HasPrefix(subject, s.Prefix) {
			r.subs = append(r.subs, s)
		}
	}
	l.mu.RUnlock()

	l.cacheMu.Lock()
	if len(l.cache) >= cacheMax {
		clear(l.cache)
	}
	if old, ok := l.cache[subject]; !ok || old.gen < r.gen {
		l.cache[subject] = r
	}
	l.cacheMu.Unlock()
	return r.subs
}

// Publish delivers a message and returns the number of receivers.
func (l *List) Publish(subject string, data []byte) int {
	subs := l.Match(subject)
	for _, s := range subs {
		s.Deliver(subject, data)
	}
	return len(subs)
}
