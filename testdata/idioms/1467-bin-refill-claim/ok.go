// Package stock refills the pick bins of a warehouse from the reserve storage.
package stock

import (
	"context"
	"log"
	"sync"
	"time"
)

// Shuttle fetches pieces from the reserve storage and puts them into the bin.
// It returns how many it brought, which may be some even if it fails.
type Shuttle interface {
	Fetch(ctx context.Context, article string, pieces int) (brought int, err error)
}

type bin struct {
	pieces    int
	refillAt  int
	lot       int
	refilling bool // a shuttle is on its way
}

// Warehouse is used by the pick stations and the goods-in desk.
type Warehouse struct {
	shuttle Shuttle

	mu   sync.Mutex
	bins map[string]*bin
}

func NewWarehouse(s Shuttle) *Warehouse {
	return &Warehouse{shuttle: s, bins: make(map[string]*bin)}
}

// Define sets up the bin of an article.
func (w *Warehouse) Define(article string, refillAt, lot int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bins[article] == nil {
		w.bins[article] = &bin{refillAt: refillAt, lot: lot}
	}
}

// Pick takes pieces out of the bin and reports whether there were enough.
func (w *Warehouse) Pick(article string, pieces int) bool {
	if !w.take(article, pieces) {
		return false
	}
	go w.replenish(article)
	return true
}

func (w *Warehouse) take(article string, pieces int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.bins[article]
	if b == nil || b.pieces < pieces {
		return false
	}
	b.pieces -= pieces
	return true
}

// replenish sends the shuttle as long as the bin is low. After a failure the
// next pick tries again.
func (w *Warehouse) replenish(article string) {
	for {
		lot, ok := w.startRefill(article)
		if !ok {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		brought, err := w.shuttle.Fetch(ctx, article, lot)
		cancel()
		w.finishRefill(article, brought)
		if err != nil {
			log.Printf("stock: refill %s: %v", article, err)
			return
		}
	}
}

// startRefill decides whether to refill and claims the bin for the caller.
func (w *Warehouse) startRefill(article string) (lot int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.bins[article]
	if b == nil || b.refilling || b.pieces >= b.refillAt {
		return 0, false
	}
	b.refilling = true
	return b.lot, true
}

// finishRefill books what the shuttle brought and ends the claim.
func (w *Warehouse) finishRefill(article string, brought int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.bins[article]
	b.pieces += brought
	b.refilling = false
}

// Receive books pieces put into the bin at the goods-in desk.
func (w *Warehouse) Receive(article string, pieces int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.bins[article]; b != nil {
		b.pieces += pieces
	}
}
