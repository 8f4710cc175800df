// Package limiter admits a bounded number of requests per window.
package limiter

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// gate packs the window number (high 32 bits) and the number of requests
// admitted in it (low 32 bits).
type gate struct {
	state atomic.Uint64
	limit uint32
}

func pack(win, n uint32) uint64 { return uint64(win)<<32 | uint64(n) }

func unpack(s uint64) (win, n uint32) { return uint32(s >> 32), uint32(s) }

// allow admits one request in window win.
func (g *gate) allow(win uint32) bool {
	for {
		old := g.state.Load()
		cur, n := unpack(old)
		if win > cur {
			cur, n = win, 0
		}
		if n >= g.limit {
			return false
		}
		if g.state.CompareAndSwap(old, pack(cur, n+1)) {
			return true
		}
	}
}

// left tells how many requests may still come in window win.
func (g *gate) left(win uint32) uint32 {
	cur, n := unpack(g.state.Load())
	if win > cur {
		return g.limit
	}
	return g.limit - n
}

type Limiter struct {
	limit  uint32
	window time.Duration
	epoch  time.Time

	mu    sync.RWMutex
	gates map[string]*gate
}

func New(limit uint32, window time.Duration) *Limiter {
	return &Limiter{
		limit:  limit,
		window: window,
		epoch:  time.Now(),
		gates:  make(map[string]*gate),
	}
}

func (l *Limiter) current() uint32 {
	return uint32(time.Since(l.epoch)/l.window) + 1
}

func (l *Limiter) gate(key string) *gate {
	l.mu.RLock()
	g := l.gates[key]
	l.mu.RUnlock()
	if g != nil {
		return g
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if g = l.gates[key]; g == nil {
		g = &gate{limit: l.limit}
		l.gates[key] = g
	}
	return g
}

func (l *Limiter) Allow(key string) bool {
	return l.gate(key).allow(l.current())
}

func (l *Limiter) Left(key string) int {
	return int(l.gate(key).left(l.current()))
}

// Wrap limits next by the API key of the caller.
func (l *Limiter) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !l.Allow(r.Header.Get("X-Api-Key")) {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
