// Package a holds the indicative currency quotes shown on the dealing desk.
package a

import (
	"errors"
	"fmt"
	"sort"
	"sync"
)

// Tick is one message of the price feed. Prices are in 1/100000.
type Tick struct {
	Pair string
	Bid  int64
	Ask  int64
}

type quote struct {
	sync.RWMutex
	bid int64
	ask int64
}

func (q *quote) setBid(v int64) {
	q.Lock()
	q.bid = v
	q.Unlock()
}

func (q *quote) setAsk(v int64) {
	q.Lock()
	q.ask = v
	q.Unlock()
}

func (q *quote) prices() (bid, ask int64) {
	q.RLock()
	defer q.RUnlock()
	return q.bid, q.ask
}

// Board maps currency pairs to their current quotes.
type Board struct {
	mu     sync.Mutex
	quotes map[string]*quote
}

// ErrNoQuote is returned for a pair that was never published.
var ErrNoQuote = errors.New("no quote")

// NewBoard returns an empty board.
func NewBoard() *Board {
	return &Board{quotes: make(map[string]*quote)}
}

// Publish takes over a tick of the feed.
func (b *Board) Publish(t Tick) error {
	if t.Bid <= 0 || t.Ask < t.Bid {
		return fmt.Errorf("bad tick for %s: %d/%d", t.Pair, t.Bid, t.Ask)
	}
	b.mu.Lock()
	q, ok := b.quotes[t.Pair]
	if !ok {
		b.quotes[t.Pair] = &quote{bid: t.Bid, ask: t.Ask}
		b.mu.Unlock()
		return nil
	}
	b.mu.Unlock()

	q.setBid(t.Bid)
	q.setAsk(t.Ask)
	return nil
}

// Spread returns the difference between ask and bid of a pair.
func (b *Board) Spread(pair string) (int64, error) {
	b.mu.Lock()
	q := b.quotes[pair]
	b.mu.Unlock()
	if q == nil {
		return 0, fmt.Errorf("%s: %w", pair, ErrNoQuote)
	}
	bid, ask := q.prices()
	return ask - bid, nil
}

// Pairs lists the known pairs.
func (b *Board) Pairs() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]string, 0, len(b.quotes))
	for p := range b.quotes {
		out = append(out, p)
	}
	sort.Strings(out)
	return out
}
