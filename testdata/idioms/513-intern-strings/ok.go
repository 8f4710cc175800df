// Package ok keeps one copy of strings that occur often.
package ok

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxLen   = 500
	expireIn = 6 * time.Minute
)

type entry struct {
	last atomic.Int64
	s    string
}

// Pool interns strings.
type Pool struct {
	m    sync.Map // string -> *entry
	hits atomic.Uint64
	miss atomic.Uint64

	swept atomic.Int64
}

// NewPool returns an empty pool.
func NewPool() *Pool {
	p := &Pool{}
	p.swept.Store(now())
	return p
}

func now() int64 { return time.Now().Unix() }

// String returns a string equal to s that does not keep a larger buffer alive.
func (p *Pool) String(s string) string {
	if len(s) > maxLen {
		return strings.Clone(s)
	}
	ct := now()
	if v, ok := p.m.Load(s); ok {
		e := v.(*entry)
		// Most calls come many times in a second.
		if e.last.Load()+10 < ct {
			e.last.Store(ct)
		}
		p.hits.Add(1)
		return e.s
	}
	p.miss.Add(1)
	e := &entry{s: strings.Clone(s)}
	e.last.Store(ct)
	p.m.Store(e.s, e)

	if p.needSweep(ct) {
		p.sweep(ct)
	}
	return e.s
}

// Bytes is String for a byte slice.
func (p *Pool) Bytes(b []byte) string { return p.String(string(b)) }

func (p *Pool) needSweep(ct int64) bool {
	last := p.swept.Load()
	if ct < last+61 {
		return false
	}
	return p.swept.CompareAndSwap(last, ct)
}

func (p *Pool) sweep(ct int64) {
	deadline := ct - int64(expireIn/time.Second)
	p.m.Range(func(k, v any) bool {
		if v.(*entry).last.Load() < deadline {
			p.m.Delete(k)
		}
		return true
	})
}

// Stats returns counters for the log; they may be a little apart.
func (p *Pool) Stats() (hits, misses uint64) {
	return p.hits.Load(), p.miss.Load()
}
