// Package ok caches the decisions of a permission check.
package ok

import (
	"strings"
	"sync"
	"sync/atomic"
)

const (
	maxCache  = 128 // prune above
	pruneSize = 32  // down by about this many
)

// Permissions decides which subjects a client may publish to. The rules never
// change.
type Permissions struct {
	allow []string
	deny  []string

	cache   sync.Map // subject -> bool
	size    atomic.Int32
	pruning atomic.Int32
}

// New returns permissions for prefixes; no allow rule allows all.
func New(allow, deny []string) *Permissions {
	return &Permissions{
		allow: append([]string(nil), allow...),
		deny:  append([]string(nil), deny...),
	}
}

func anyPrefix(rules []string, subject string) bool {
	for _, r := range rules {
		if strings.HasPrefix(subject, r) {
			return true
		}
	}
	return false
}

func (p *Permissions) decide(subject string) bool {
	if len(p.allow) > 0 && !anyPrefix(p.allow, subject) {
		return false
	}
	return !anyPrefix(p.deny, subject)
}

// Allowed reports if the client may publish to the subject.
func (p *Permissions) Allowed(subject string) bool {
	if v, ok := p.cache.Load(subject); ok {
		return v.(bool)
	}
	allowed := p.decide(subject)
	if _, loaded := p.cache.LoadOrStore(subject, allowed); !loaded {
		if p.size.Add(1) > maxCache {
			p.prune()
		}
	}
	return allowed
}

// prune drops a part of the cache, one goroutine at a time. If it falls behind
// the next insertion tries again.
func (p *Permissions) prune() {
	// The first one does the work for all that come meanwhile.
	if p.pruning.Add(1) > 1 {
		return
	}
	const maxRounds = 8
	for n := 0; n < maxRounds; n++ {
		todo := p.pruning.Load()
		removed := 0
		p.cache.Range(func(k, _ any) bool {
			if _, ok := p.cache.LoadAndDelete(k); ok {
				p.size.Add(-1)
				removed++
			}
			return removed < pruneSize
		})
		if p.size.Load() <= maxCache && p.pruning.CompareAndSwap(todo, 0) {
			return
		}
	}
	p.pruning.Store(0)
}

// Cached returns about how many decisions are cached.
func (p *Permissions) Cached() int { return max(0, int(p.size.Load())) }
