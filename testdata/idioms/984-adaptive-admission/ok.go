// Package admission protects a backend with a limit on the requests in flight
// that follows the latency which is observed.
package admission

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// state holds the limit in the upper and the requests in flight in the lower
// half, so that both change in one step.
type state uint64

func pack(limit, inflight uint32) state { return state(limit)<<32 | state(inflight) }

func (s state) limit() uint32    { return uint32(s >> 32) }
func (s state) inflight() uint32 { return uint32(s) }

// Gate is safe for concurrent use.
type Gate struct {
	min, max uint32
	target   time.Duration
	word     atomic.Uint64
}

// NewGate returns a gate whose limit moves between min and max: up while
// requests take less than target, down when they take more.
func NewGate(min, max uint32, target time.Duration) *Gate {
	g := &Gate{min: min, max: max, target: target}
	g.word.Store(uint64(pack(min, 0)))
	return g
}

func (g *Gate) load() state { return state(g.word.Load()) }

func (g *Gate) swap(old, new state) bool {
	return g.word.CompareAndSwap(uint64(old), uint64(new))
}

// Enter asks for admission. If it is granted, leave has to be called when the
// request is done.
func (g *Gate) Enter() (leave func(), ok bool) {
	for {
		s := g.load()
		if s.inflight() >= s.limit() {
			return nil, false
		}
		if g.swap(s, pack(s.limit(), s.inflight()+1)) {
			break
		}
	}
	start := time.Now()
	var once sync.Once
	return func() {
		once.Do(func() { g.exit(time.Since(start)) })
	}, true
}

// exit ends a request and adjusts the limit by its latency.
func (g *Gate) exit(took time.Duration) {
	for {
		s := g.load()
		next := pack(g.adjust(s, took), s.inflight()-1)
		if g.swap(s, next) {
			return
		}
	}
}

func (g *Gate) adjust(s state, took time.Duration) uint32 {
	limit := s.limit()
	switch {
	case took > g.target:
		limit -= limit / 8
	case s.inflight()*2 > limit:
		// Only grow when the limit is made use of.
		limit++
	}
	return min(max(limit, g.min), g.max)
}

// Usage returns the requests in flight and the limit.
func (g *Gate) Usage() (inflight, limit uint32) {
	s := g.load()
	return s.inflight(), s.limit()
}

// Wrap applies the gate to a handler.
func (g *Gate) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leave, ok := g.Enter()
		if !ok {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "overloaded", http.StatusServiceUnavailable)
			return
		}
		defer leave()
		next.ServeHTTP(w, r)
	})
}
