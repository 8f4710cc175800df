// Package a keeps shopping carts which expire when they aren't used.
package a

import (
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Cart is the content of one visitor's cart. It is replaced, not modified.
type Cart struct {
	items   map[string]int
	touched time.Time
}

// Carts maps visitors to carts.
type Carts struct {
	ttl   time.Duration
	log   *slog.Logger
	carts sync.Map // visitor -> *Cart
}

// NewCarts returns an empty set of carts.
func NewCarts(ttl time.Duration, log *slog.Logger) *Carts {
	return &Carts{ttl: ttl, log: log}
}

// Add puts n pieces of an article into the visitor's cart.
func (c *Carts) Add(visitor, article string, n int) int {
	for {
		next := &Cart{items: map[string]int{article: n}, touched: time.Now()}
		cur, loaded := c.carts.LoadOrStore(visitor, next)
		if !loaded {
			return n
		}
		for a, have := range cur.(*Cart).items {
			next.items[a] += have
		}
		if c.carts.CompareAndSwap(visitor, cur, next) {
			return next.items[article]
		}
	}
}

// Count returns the number of pieces in a cart.
func (c *Carts) Count(visitor string) int {
	v, ok := c.carts.Load(visitor)
	if !ok {
		return 0
	}
	sum := 0
	for _, n := range v.(*Cart).items {
		sum += n
	}
	return sum
}

// Expire removes the carts which weren't touched for a while.
func (c *Carts) Expire(now time.Time) int {
	removed := 0
	c.carts.Range(func(visitor, v any) bool {
		if now.Sub(v.(*Cart).touched) < c.ttl {
			return true
		}
		if c.carts.CompareAndDelete(visitor, v) {
			removed++
		}
		return true
	})
	return removed
}

// Run expires carts at intervals until stop is closed.
func (c *Carts) Run(stop <-chan struct{}) {
	t := time.NewTicker(c.ttl / 4)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-t.C:
			if n := c.Expire(now); n > 0 {
				c.log.Info("carts expired", "count", n)
			}
		}
	}
}

// ServeHTTP answers POST /cart?visitor=V&article=A.
func (c *Carts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	visitor, article := r.FormValue("visitor"), r.FormValue("article")
	if visitor == "" || article == "" {
		http.Error(w, "visitor or article missing", http.StatusBadRequest)
		return
	}
	w.Header().Set("X-Article-Count", strconv.Itoa(c.Add(visitor, article, 1)))
	w.WriteHeader(http.StatusNoContent)
}
