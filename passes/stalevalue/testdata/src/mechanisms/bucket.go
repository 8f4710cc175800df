package mechanisms

import (
	"sync"
	"time"
)

// A bucket is filled by the clock.
type bucket struct {
	mu     sync.Mutex
	tokens int
	most   int
	serial int
}

func (b *bucket) fill(n int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens += n
	return b.tokens
}

// Take writes back what it has computed from the sum that fill has left there.
func (b *bucket) Take(n int) bool {
	have := b.fill(n)
	if have < 1 {
		return false
	}
	b.mu.Lock()
	b.tokens = have - 1 // want `lost-update: b.tokens was read`
	b.mu.Unlock()
	return true
}

// TakeFull has a limit, which is applied before the sum is read.
func (b *bucket) TakeFull(n int) {
	b.mu.Lock()
	b.tokens += n
	if b.tokens > b.most {
		b.tokens = b.most
	}
	have := b.tokens
	b.mu.Unlock()
	b.mu.Lock()
	b.tokens = have / 2 // want `lost-update: b.tokens was read`
	b.mu.Unlock()
}

// TakeOne changes what is there then.
func (b *bucket) TakeOne(n int) bool {
	if b.fill(n) < 1 {
		return false
	}
	b.mu.Lock()
	b.tokens--
	b.mu.Unlock()
	return true
}

// Empty takes all out.
func (b *bucket) Empty(n int) {
	b.mu.Lock()
	have := b.tokens
	b.tokens = 0
	b.mu.Unlock()
	b.mu.Lock()
	b.tokens = have + n // nobody else has what was there
	b.mu.Unlock()
}

// Leases have an end.
type lease struct {
	end   time.Time
	owner string
}

type leases struct {
	mu   sync.Mutex
	held map[string]lease
}

func (l *leases) Renew(k, owner string, end time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[k] = lease{end, owner}
}

// Expire may remove a lease that was renewed.
func (l *leases) Expire(k string, now time.Time) {
	l.mu.Lock()
	e, ok := l.held[k]
	l.mu.Unlock()
	if ok && e.end.Before(now) {
		l.mu.Lock()
		delete(l.held, k) // want `check-then-act: l.held\[k\] was checked`
		l.mu.Unlock()
	}
}

// ExpireAnew looks at the lease again.
func (l *leases) ExpireAnew(k string, now time.Time) {
	l.mu.Lock()
	e, ok := l.held[k]
	l.mu.Unlock()
	if ok && e.end.Before(now) {
		l.mu.Lock()
		if l.held[k].end.Before(now) {
			delete(l.held, k)
		}
		l.mu.Unlock()
	}
}

// Release removes what is there, whatever it is.
func (l *leases) Release(k string) {
	l.mu.Lock()
	_, ok := l.held[k]
	l.mu.Unlock()
	if ok {
		l.mu.Lock()
		delete(l.held, k)
		l.mu.Unlock()
	}
}
