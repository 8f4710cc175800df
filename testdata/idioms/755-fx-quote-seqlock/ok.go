// Package quotes keeps the current bid and ask of currency pairs for pricing
// engines that poll them in tight loops.
package quotes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"
)

// Quote is a two-sided price in tenths of a pip.
type Quote struct {
	Bid int64     `json:"bid"`
	Ask int64     `json:"ask"`
	At  time.Time `json:"at"`
}

// Spread returns the difference of the sides.
func (q Quote) Spread() int64 { return q.Ask - q.Bid }

// Errors of the board.
var (
	ErrPair    = errors.New("quotes: unknown pair")
	ErrNoQuote = errors.New("quotes: no quote yet")
	ErrCrossed = errors.New("quotes: crossed quote")
)

// cell holds a quote in words, so that the feed does not allocate.
type cell struct {
	seq atomic.Uint64
	bid atomic.Int64
	ask atomic.Int64
	at  atomic.Int64
}

func (c *cell) write(q Quote) {
	c.seq.Add(1)
	c.bid.Store(q.Bid)
	c.ask.Store(q.Ask)
	c.at.Store(q.At.UnixNano())
	c.seq.Add(1)
}

func (c *cell) read() (Quote, bool) {
	for {
		seq := c.seq.Load()
		if seq == 0 {
			return Quote{}, false
		}
		bid, ask, at := c.bid.Load(), c.ask.Load(), c.at.Load()
		if seq%2 == 0 && c.seq.Load() == seq {
			return Quote{Bid: bid, Ask: ask, At: time.Unix(0, at)}, true
		}
		runtime.Gosched()
	}
}

// Update is a message of the feed.
type Update struct {
	Pair  string
	Quote Quote
}

// Board has a cell for each pair; the pairs are fixed.
type Board struct {
	cells map[string]*cell
	log   *slog.Logger
}

// NewBoard returns a board for some pairs.
func NewBoard(log *slog.Logger, pairs ...string) *Board {
	b := &Board{cells: make(map[string]*cell, len(pairs)), log: log}
	for _, p := range pairs {
		b.cells[p] = new(cell)
	}
	return b
}

// Start connects the board with its feed. A board has one feed.
func Start(ctx context.Context, feed <-chan Update, log *slog.Logger, pairs ...string) *Board {
	b := NewBoard(log, pairs...)
	go b.follow(ctx, feed)
	return b
}

func (b *Board) follow(ctx context.Context, feed <-chan Update) {
	for {
		select {
		case <-ctx.Done():
			return
		case u, ok := <-feed:
			if !ok {
				return
			}
			if err := b.apply(u); err != nil {
				b.log.Warn("update ignored", "pair", u.Pair, "err", err)
			}
		}
	}
}

func (b *Board) apply(u Update) error {
	c, ok := b.cells[u.Pair]
	switch {
	case !ok:
		return fmt.Errorf("%w: %s", ErrPair, u.Pair)
	case u.Quote.Spread() < 0:
		return ErrCrossed
	}
	c.write(u.Quote)
	return nil
}

// Get returns the quote of a pair.
func (b *Board) Get(pair string) (Quote, error) {
	c, ok := b.cells[pair]
	if !ok {
		return Quote{}, fmt.Errorf("%w: %s", ErrPair, pair)
	}
	q, ok := c.read()
	if !ok {
		return Quote{}, ErrNoQuote
	}
	return q, nil
}

// ServeHTTP answers GET /?pair=EURUSD.
func (b *Board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, err := b.Get(r.URL.Query().Get("pair"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(q)
}
