// Package a keeps the best prices of a market feed.
package a

import (
	"context"
	"log/slog"
	"sync"
)

// Tick is one message of the feed.
type Tick struct {
	Symbol string
	Price  int64
	Seq    uint64
}

// Quote is the state of one symbol.
type Quote struct {
	Last, High, Low int64
	Seq             uint64
	Moves           int
}

// Book is fed by one feed and read by many handlers.
type Book struct {
	log   *slog.Logger
	ticks chan Tick
	done  chan struct{}

	mu     sync.RWMutex
	quotes map[string]Quote
}

// NewBook returns a book and starts its feed goroutine.
func NewBook(ctx context.Context, log *slog.Logger) *Book {
	b := &Book{
		log:    log,
		ticks:  make(chan Tick, 256),
		done:   make(chan struct{}),
		quotes: make(map[string]Quote),
	}
	go b.loop(ctx)
	return b
}

// Feed hands a tick to the book.
func (b *Book) Feed(ctx context.Context, t Tick) error {
	select {
	case b.ticks <- t:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-b.done:
		return context.Canceled
	}
}

// Quote returns the current quote of a symbol.
func (b *Book) Quote(symbol string) (Quote, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	q, ok := b.quotes[symbol]
	return q, ok
}

func (b *Book) set(symbol string, q Quote) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.quotes[symbol] = q
}

func (b *Book) loop(ctx context.Context) {
	defer close(b.done)
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-b.ticks:
			b.apply(t)
		}
	}
}

func (b *Book) apply(t Tick) {
	q, ok := b.Quote(t.Symbol)
	if ok && t.Seq <= q.Seq {
		b.log.Debug("stale tick", "symbol", t.Symbol, "seq", t.Seq)
		return
	}
	if !ok {
		q.High, q.Low = t.Price, t.Price
	}
	q.Last = t.Price
	q.High = max(q.High, t.Price)
	q.Low = min(q.Low, t.Price)
	q.Seq = t.Seq
	q.Moves++
	b.set(t.Symbol, q)
}
