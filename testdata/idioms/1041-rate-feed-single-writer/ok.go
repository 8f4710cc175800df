// Package rates keeps the exchange rates used to price orders.
package rates

import (
	"math"
	"sync"
)

// Tick is a quote from the market.
type Tick struct {
	Pair string
	Bid  float64
	Ask  float64
}

type rate struct {
	mid    float64
	spread float64
	ticks  int
}

// Book is fed by one goroutine and read by many.
type Book struct {
	ticks chan Tick
	stop  chan struct{}
	done  chan struct{}
	once  sync.Once

	mu    sync.RWMutex
	rates map[string]rate
}

// NewBook returns a book and starts its feeder.
func NewBook() *Book {
	b := &Book{
		ticks: make(chan Tick, 256),
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
		rates: make(map[string]rate),
	}
	go b.run()
	return b
}

// Offer hands a tick to the book; ticks offered while the book is being
// closed may be lost.
func (b *Book) Offer(t Tick) {
	select {
	case b.ticks <- t:
	case <-b.stop:
	}
}

// Close stops the feeder.
func (b *Book) Close() {
	b.once.Do(func() { close(b.stop) })
	<-b.done
}

func (b *Book) run() {
	defer close(b.done)
	for {
		select {
		case t := <-b.ticks:
			b.apply(t)
		case <-b.stop:
			return
		}
	}
}

// apply smooths the tick into the current rate.
func (b *Book) apply(t Tick) {
	b.mu.RLock()
	r := b.rates[t.Pair]
	b.mu.RUnlock()

	mid, spread := (t.Bid+t.Ask)/2, math.Abs(t.Ask-t.Bid)
	if r.ticks == 0 {
		r.mid, r.spread = mid, spread
	} else {
		const alpha = 0.2
		r.mid += alpha * (mid - r.mid)
		r.spread += alpha * (spread - r.spread)
	}
	r.ticks++

	b.mu.Lock()
	b.rates[t.Pair] = r
	b.mu.Unlock()
}

// Price returns the rate to sell at, or false if the pair was never quoted.
func (b *Book) Price(pair string) (float64, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	r, ok := b.rates[pair]
	return r.mid + r.spread/2, ok
}
