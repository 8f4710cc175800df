// Package ok shares equal strings.
package ok

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const maxLen = 500

// pool holds one copy of each string.
type pool struct {
	mu    sync.Mutex
	fresh map[string]string
	reads uint64

	settled atomic.Pointer[map[string]pooled]

	keep     uint64
	interval uint64
	nextTidy atomic.Uint64

	skipped atomic.Uint64
}

type pooled struct {
	deadline uint64
	s        string
}

func newPool(keep time.Duration) *pool {
	p := &pool{fresh: make(map[string]string)}
	m := make(map[string]pooled)
	p.settled.Store(&m)
	p.keep = uint64(keep.Seconds() + 0.5)
	p.interval = p.keep / 3
	p.nextTidy.Store(unixNow() + p.interval)
	return p
}

func unixNow() uint64 {
	return uint64(time.Now().Unix())
}

func (p *pool) getSettled() map[string]pooled {
	return *p.settled.Load()
}

// share returns a string that is equal to s.
func (p *pool) share(s string) string {
	if len(s) > maxLen {
		p.skipped.Add(1)
		return strings.Clone(s)
	}
	now := unixNow()
	if now >= p.nextTidy.Load() {
		p.nextTidy.Store(now + p.interval)
		p.tidy()
	}

	settled := p.getSettled()
	e, ok := settled[s]
	if ok {
		return e.s
	}

	p.mu.Lock()
	shared, ok := p.fresh[s]
	if !ok {
		// Verify whether s has been settled by concurrent goroutines.
		settled = p.getSettled()
		e, ok = settled[s]
		if !ok {
			// Make a new copy for s in order to drop the bigger string that s
			// may be a part of.
			shared = strings.Clone(s)
			p.fresh[shared] = shared
		} else {
			shared = e.s
		}
	}
	p.reads++
	if p.reads > uint64(len(settled)) {
		p.settleLocked()
		p.reads = 0
	}
	p.mu.Unlock()

	return shared
}

func (p *pool) settleLocked() {
	settled := p.getSettled()
	m := make(map[string]pooled, len(settled)+len(p.fresh))
	for k, e := range settled {
		m[k] = e
	}
	deadline := unixNow() + p.keep
	for k, s := range p.fresh {
		m[k] = pooled{s: s, deadline: deadline}
	}
	p.fresh = make(map[string]string)
	p.settled.Store(&m)
}

func (p *pool) tidy() {
	p.mu.Lock()
	defer p.mu.Unlock()

	settled := p.getSettled()
	now := unixNow()
	expired := 0
	for _, e := range settled {
		if e.deadline <= now {
			expired++
		}
	}
	if expired == 0 {
		return
	}

	m := make(map[string]pooled, len(settled)-expired)
	for k, e := range settled {
		if e.deadline > now {
			m[k] = e
		}
	}
	p.settled.Store(&m)
}

// Size returns the number of settled strings.
func (p *pool) Size() int {
	return len(p.getSettled())
}

var shared = newPool(6 * time.Minute)

// String returns a shared copy of s.
func String(s string) string {
	return shared.share(s)
}

// Bytes returns a shared string with the contents of b.
func Bytes(b []byte) string {
	return shared.share(string(b))
}
