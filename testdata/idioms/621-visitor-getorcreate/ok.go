// Package visitors keeps a limiter for each client address.
package visitors

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// Visitor is the budget of one address.
type Visitor struct {
	mu     sync.Mutex
	tokens float64
	last   time.Time
}

// Take uses up one token if there is one.
func (v *Visitor) Take(now time.Time, rate, burst float64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if now.After(v.last) {
		v.tokens = min(burst, v.tokens+now.Sub(v.last).Seconds()*rate)
		v.last = now
	}
	if v.tokens < 1 {
		return false
	}
	v.tokens--
	return true
}

// Book holds all visitors.
type Book struct {
	rate, burst float64

	mu     sync.RWMutex
	byAddr map[string]*Visitor
}

// NewBook returns an empty book.
func NewBook(rate, burst float64) *Book {
	return &Book{rate: rate, burst: burst, byAddr: make(map[string]*Visitor)}
}

func (b *Book) lookup(addr string) *Visitor {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.byAddr[addr]
}

func (b *Book) insert(addr string, fresh *Visitor) *Visitor {
	b.mu.Lock()
	defer b.mu.Unlock()
	if have := b.byAddr[addr]; have != nil {
		return have
	}
	b.byAddr[addr] = fresh
	return fresh
}

// Get returns the visitor of an address.
func (b *Book) Get(addr string) *Visitor {
	if v := b.lookup(addr); v != nil {
		return v
	}
	fresh := &Visitor{tokens: b.burst, last: time.Now()}
	return b.insert(addr, fresh)
}

// Len returns how many addresses are known.
func (b *Book) Len() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.byAddr)
}

// Limit refuses requests of addresses that used up their budget.
func (b *Book) Limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			http.Error(w, "bad remote address", http.StatusBadRequest)
			return
		}
		if !b.Get(host).Take(time.Now(), b.rate, b.burst) {
			http.Error(w, "slow down", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
