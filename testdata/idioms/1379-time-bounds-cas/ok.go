package idiom1379

import (
	"math"
	"sync/atomic"
)

type head struct {
	minTime, maxTime atomic.Int64
	minValidTime     atomic.Int64
}

func newHead() *head {
	h := &head{}
	h.minTime.Store(math.MaxInt64)
	h.maxTime.Store(math.MinInt64)
	h.minValidTime.Store(math.MinInt64)
	return h
}

// MinTime returns the lowest time bound on visible data.
func (h *head) MinTime() int64 { return h.minTime.Load() }

// MaxTime returns the highest timestamp seen.
func (h *head) MaxTime() int64 { return h.maxTime.Load() }

func (h *head) updateMinMaxTime(mint, maxt int64) {
	for {
		lt := h.MinTime()
		if mint >= lt {
			break
		}
		if h.minTime.CompareAndSwap(lt, mint) {
			break
		}
	}
	for {
		ht := h.MaxTime()
		if maxt <= ht {
			break
		}
		if h.maxTime.CompareAndSwap(ht, maxt) {
			break
		}
	}
}

// MinValidTime returns the bound below which data has been given up.
func (h *head) MinValidTime() int64 { return h.minValidTime.Load() }

// raiseMinValidTime never lowers the bound, whatever order the calls come in.
func (h *head) raiseMinValidTime(mint int64) bool {
	for {
		cur := h.minValidTime.Load()
		if cur >= mint {
			return false
		}
		if h.minValidTime.CompareAndSwap(cur, mint) {
			return true
		}
	}
}

type appender struct {
	h          *head
	mint, maxt int64
	n          int
}

// Appender returns an appender for use by one goroutine.
func (h *head) Appender() *appender {
	return &appender{h: h, mint: math.MaxInt64, maxt: math.MinInt64}
}

func (a *appender) Append(t int64) {
	a.mint = min(a.mint, t)
	a.maxt = max(a.maxt, t)
	a.n++
}

func (a *appender) Commit() int {
	if a.n > 0 {
		a.h.updateMinMaxTime(a.mint, a.maxt)
	}
	n := a.n
	a.n = 0
	return n
}
