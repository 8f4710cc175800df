package a

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

type Lease struct {
	Doc   string
	User  string
	Until time.Time
}

type request struct {
	doc, user string
	release   bool
	reply     chan bool
}

// Locks hands out document locks. All changes are made by the goroutine which
// New starts; readers see the leases through the mutex.
type Locks struct {
	reqs chan request
	done chan struct{}
	ttl  time.Duration

	mu     sync.RWMutex
	leases map[string]Lease

	peak    atomic.Int64
	refused atomic.Int64
}

func New(ctx context.Context, ttl time.Duration) *Locks {
	l := &Locks{
		reqs:   make(chan request),
		done:   make(chan struct{}),
		ttl:    ttl,
		leases: make(map[string]Lease),
	}
	go l.run(ctx)
	return l
}

func (l *Locks) run(ctx context.Context) {
	defer close(l.done)
	for {
		select {
		case r := <-l.reqs:
			if r.release {
				r.reply <- l.release(r.doc, r.user)
			} else {
				r.reply <- l.take(r.doc, r.user, time.Now())
			}
		case <-ctx.Done():
			return
		}
	}
}

func (l *Locks) take(doc, user string, now time.Time) bool {
	cur, held := l.Holder(doc)
	if held && cur.User != user && now.Before(cur.Until) {
		l.refused.Store(l.refused.Load() + 1)
		return false
	}
	l.mu.Lock()
	l.leases[doc] = Lease{Doc: doc, User: user, Until: now.Add(l.ttl)}
	n := int64(len(l.leases))
	l.mu.Unlock()
	if n > l.peak.Load() {
		l.peak.Store(n)
	}
	return true
}

func (l *Locks) release(doc, user string) bool {
	cur, held := l.Holder(doc)
	if !held || cur.User != user {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.leases, doc)
	return true
}

func (l *Locks) call(r request) bool {
	r.reply = make(chan bool, 1)
	select {
	case l.reqs <- r:
		return <-r.reply
	case <-l.done:
		return false
	}
}

func (l *Locks) Lock(doc, user string) bool {
	return l.call(request{doc: doc, user: user})
}

func (l *Locks) Unlock(doc, user string) bool {
	return l.call(request{doc: doc, user: user, release: true})
}

func (l *Locks) Holder(doc string) (Lease, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	cur, ok := l.leases[doc]
	return cur, ok
}

func (l *Locks) Peak() int64 { return l.peak.Load() }

func (l *Locks) Refused() int64 { return l.refused.Load() }
