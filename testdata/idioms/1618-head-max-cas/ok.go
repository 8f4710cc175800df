package a

import (
	"math"
	"sync/atomic"
)

// Head tracks the highest time of the samples in memory, and the lowest time
// that is still of interest. The two have nothing to do with each other.
type Head struct {
	maxTime      atomic.Int64
	minValidTime atomic.Int64
}

func NewHead() *Head {
	h := &Head{}
	h.maxTime.Store(math.MinInt64)
	h.minValidTime.Store(math.MinInt64)
	return h
}

func (h *Head) MaxTime() int64 { return h.maxTime.Load() }

func (h *Head) MinValidTime() int64 { return h.minValidTime.Load() }

func (h *Head) updateMaxTime(maxt int64) {
	for {
		ht := h.MaxTime()
		if maxt <= ht {
			return
		}
		if h.maxTime.CompareAndSwap(ht, maxt) {
			return
		}
	}
}

// Append accounts for a batch of samples.
func (h *Head) Append(ts []int64) {
	maxt := int64(math.MinInt64)
	for _, t := range ts {
		maxt = max(maxt, t)
	}
	h.updateMaxTime(maxt)
}

// SetMinValidTime raises the lowest time of interest; it never lowers it.
func (h *Head) SetMinValidTime(minValidTime int64) bool {
	for {
		cur := h.minValidTime.Load()
		if minValidTime <= cur {
			return false
		}
		if h.minValidTime.CompareAndSwap(cur, minValidTime) {
			return true
		}
	}
}
