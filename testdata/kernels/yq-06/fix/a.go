package a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Rates are in millionths of the quote currency.
const unit = 1_000_000

var (
	ErrPair  = errors.New("fx: unknown pair")
	ErrStale = errors.New("fx: no recent quote")
)

// Quote is a two-sided price.
type Quote struct {
	Bid, Ask int64
}

// Mid is the price half way between the two sides.
func (q Quote) Mid() int64 { return (q.Bid + q.Ask) / 2 }

// Feed delivers the quotes of one liquidity provider, in order.
type Feed interface {
	Next(ctx context.Context) (pair string, q Quote, err error)
}

type ticker struct {
	cur     atomic.Pointer[Quote]
	updated atomic.Int64 // set after cur
}

func (t *ticker) publish(q Quote) {
	t.cur.Store(&q)
	t.updated.Store(time.Now().UnixNano())
}

func (t *ticker) age() time.Duration {
	return time.Duration(time.Now().UnixNano() - t.updated.Load())
}

// quote must only be called when age has shown that there is one.
func (t *ticker) quote() Quote {
	return *t.cur.Load()
}

// Board shows the prices at which we exchange for customers.
type Board struct {
	maxAge time.Duration
	margin int64 // in millionths

	mu    sync.RWMutex
	pairs map[string]*ticker
}

func NewBoard(maxAge time.Duration, margin int64) *Board {
	return &Board{maxAge: maxAge, margin: margin, pairs: make(map[string]*ticker)}
}

func (b *Board) ticker(pair string, create bool) *ticker {
	b.mu.RLock()
	t := b.pairs[pair]
	b.mu.RUnlock()
	if t != nil || !create {
		return t
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if t = b.pairs[pair]; t == nil {
		t = new(ticker)
		b.pairs[pair] = t
	}
	return t
}

// Follow takes over the quotes of the feed until it ends.
func (b *Board) Follow(ctx context.Context, f Feed) error {
	for {
		pair, q, err := f.Next(ctx)
		if err != nil {
			return fmt.Errorf("fx: feed: %w", err)
		}
		if q.Bid <= 0 || q.Bid > q.Ask {
			log.Printf("fx: dropped quote %v for %s", q, pair)
			continue
		}
		b.ticker(strings.ToUpper(pair), true).publish(q)
	}
}

// Convert tells what the customer gets for an amount.
func (b *Board) Convert(pair string, amount int64) (int64, error) {
	t := b.ticker(pair, false)
	if t == nil {
		return 0, ErrPair
	}
	if t.age() > b.maxAge {
		return 0, ErrStale
	}
	rate := t.quote().Mid()
	rate -= rate * b.margin / unit
	return amount * rate / unit, nil
}

// Pairs lists what is traded.
func (b *Board) Pairs() []string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	out := make([]string, 0, len(b.pairs))
	for p := range b.pairs {
		out = append(out, p)
	}
	sort.Strings(out)
	return out
}

// ServeHTTP shows the board.
func (b *Board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := make(map[string]Quote)
	for _, p := range b.Pairs() {
		if t := b.ticker(p, false); t.age() <= b.maxAge {
			out[p] = t.quote()
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(out); err != nil {
		log.Print(err)
	}
}
