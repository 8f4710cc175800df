// Package messages has one report of each wording. The test knows the lines.
package messages

import (
	"sync"
	"sync/atomic"
)

type Rect struct {
	mu         sync.RWMutex
	w, h       int
	soft, hard atomic.Int64
}

func (r *Rect) Resize(w, h int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.w, r.h = w, h
}

func (r *Rect) Area() int {
	r.mu.RLock()
	w := r.w
	r.mu.RUnlock()
	r.mu.RLock()
	defer r.mu.RUnlock()
	return w * r.h
}

func (r *Rect) Fits(draw func()) {
	w := r.Width()
	h := r.Height()
	if w < h {
		draw()
	}
}

func (r *Rect) Draw(draw func(int)) {
	w := r.Width()
	h := r.Height()
	draw(w * h)
}

func (r *Rect) Copy(to *frame) {
	w := r.Width()
	to.area = w * r.Height()
}

type frame struct{ area int }

func (r *Rect) Width() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.w
}

func (r *Rect) Height() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.h
}

func (r *Rect) Fold() {
	r.mu.Lock()
	r.w = 0
	r.mu.Unlock()
	r.mu.Lock()
	r.h = 0
	r.mu.Unlock()
}

func (r *Rect) Limit(n int64) {
	r.soft.Store(n / 2)
	r.hard.Store(n)
}

func (r *Rect) Room() int64 {
	soft := r.soft.Load()
	return r.hard.Load() - soft
}

var (
	ratesMu   sync.Mutex
	buy, sell int
)

func SetBuy(n int) {
	ratesMu.Lock()
	buy = n
	ratesMu.Unlock()
}

func SetSell(n int) {
	ratesMu.Lock()
	sell = n
	ratesMu.Unlock()
}

func Spread() int {
	ratesMu.Lock()
	defer ratesMu.Unlock()
	return sell - buy
}

func Reset() {
	SetBuy(0)
	SetSell(0)
}
