package a

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Quote is one price from a feed.
type Quote struct {
	Pair  string
	Price float64
	At    time.Time
}

// Rate is the smoothed price that the board shows.
type Rate struct {
	Mean  float64
	Ticks int
	At    time.Time
}

// Feed delivers quotes from all exchanges on one channel.
type Feed interface {
	Quotes(ctx context.Context) <-chan Quote
}

// Board shows exchange rates to the web handlers.
type Board struct {
	feed  Feed
	alpha float64
	start sync.Once

	mu    sync.RWMutex
	rates map[string]Rate
}

func NewBoard(feed Feed, alpha float64) *Board {
	return &Board{feed: feed, alpha: alpha, rates: make(map[string]Rate)}
}

// Start begins to follow the feed. Only the first call does anything.
func (b *Board) Start(ctx context.Context) {
	b.start.Do(func() { go b.run(ctx) })
}

// run is the only place from which rates are written.
func (b *Board) run(ctx context.Context) {
	quotes := b.feed.Quotes(ctx)
	expire := time.NewTicker(time.Minute)
	defer expire.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case q, ok := <-quotes:
			if !ok {
				return
			}
			b.apply(q)
		case now := <-expire.C:
			b.expire(now.Add(-time.Hour))
		}
	}
}

func (b *Board) apply(q Quote) {
	old, ok := b.Rate(q.Pair)
	next := Rate{Mean: q.Price, Ticks: 1, At: q.At}
	if ok {
		if q.At.Before(old.At) {
			return
		}
		next.Mean = old.Mean + b.alpha*(q.Price-old.Mean)
		next.Ticks = old.Ticks + 1
	}
	b.set(q.Pair, next)
}

func (b *Board) set(pair string, r Rate) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rates[pair] = r
}

func (b *Board) expire(before time.Time) {
	var old []string
	b.mu.RLock()
	for pair, r := range b.rates {
		if r.At.Before(before) {
			old = append(old, pair)
		}
	}
	b.mu.RUnlock()

	for _, pair := range old {
		b.mu.Lock()
		delete(b.rates, pair)
		b.mu.Unlock()
	}
}

// Rate returns the current rate of a pair.
func (b *Board) Rate(pair string) (Rate, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	r, ok := b.rates[pair]
	return r, ok
}

func (b *Board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rate, ok := b.Rate(r.FormValue("pair"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	fmt.Fprintf(w, "%.6f after %d ticks\n", rate.Mean, rate.Ticks)
}
