package latency

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

const width = 40

type Histogram struct {
	mu     sync.RWMutex
	counts []atomic.Int64
	since  time.Time
	stop   chan struct{}
}

func New(period time.Duration) *Histogram {
	h := &Histogram{
		counts: make([]atomic.Int64, width),
		since:  time.Now(),
		stop:   make(chan struct{}),
	}
	go h.rotate(period)
	return h
}

func (h *Histogram) rotate(period time.Duration) {
	for {
		select {
		case <-time.After(period):
			h.Reset()
		case <-h.stop:
			return
		}
	}
}

func (h *Histogram) Close() { close(h.stop) }

func (h *Histogram) Observe(d time.Duration) {
	i := min(bits.Len64(uint64(max(d, 0)/time.Microsecond)), width-1)
	h.mu.RLock()
	defer h.mu.RUnlock()
	h.counts[i].Add(1)
}

func (h *Histogram) Reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.counts {
		h.counts[i].Store(0)
	}
	h.since = time.Now()
}

func (h *Histogram) Quantile(q float64) time.Duration {
	h.mu.RLock()
	defer h.mu.RUnlock()
	b := h.counts
	var total int64
	for i := range b {
		total += b[i].Load()
	}
	rank := int64(q * float64(total))
	i, seen := 0, b[0].Load()
	for seen < rank {
		i++
		seen += b[i].Load()
	}
	return time.Microsecond << i
}
