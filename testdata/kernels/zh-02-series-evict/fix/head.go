// Package head is the in-memory part of a time-series database: recent samples
// per series, kept until they have been written to a block on disk.
package head

import (
	"context"
	"errors"
	"hash/maphash"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// ErrOutOfOrder is returned for a sample that is not newer than the last one.
var ErrOutOfOrder = errors.New("head: out of order sample")

const stripeCount = 64

// Sample is one point of a series.
type Sample struct {
	T int64
	V float64
}

type series struct {
	ref uint64
	key string

	mu      sync.Mutex
	samples []Sample
	evicted bool // no longer in its stripe
}

// append reports false if the series has been evicted.
func (s *series) append(t int64, v float64) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.evicted {
		return false, nil
	}
	if n := len(s.samples); n > 0 && s.samples[n-1].T >= t {
		return true, ErrOutOfOrder
	}
	s.samples = append(s.samples, Sample{T: t, V: v})
	return true, nil
}

// truncateLocked drops what is older than mint and returns how much is left.
func (s *series) truncateLocked(mint int64) int {
	i := sort.Search(len(s.samples), func(i int) bool { return s.samples[i].T >= mint })
	if i > 0 {
		s.samples = append([]Sample(nil), s.samples[i:]...)
	}
	return len(s.samples)
}

type stripe struct {
	mu    sync.RWMutex
	byKey map[string]*series
}

// Head takes samples from many scrape loops at a time.
type Head struct {
	seed    maphash.Seed
	nextRef atomic.Uint64
	stripes [stripeCount]stripe
}

// NewHead returns an empty head.
func NewHead() *Head {
	h := &Head{seed: maphash.MakeSeed()}
	for i := range h.stripes {
		h.stripes[i].byKey = make(map[string]*series)
	}
	return h
}

func (h *Head) stripeOf(key string) *stripe {
	return &h.stripes[maphash.String(h.seed, key)%stripeCount]
}

// getOrCreate returns the series of the key.
func (h *Head) getOrCreate(key string) *series {
	st := h.stripeOf(key)
	st.mu.RLock()
	s := st.byKey[key]
	st.mu.RUnlock()
	if s != nil {
		return s
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if s := st.byKey[key]; s != nil {
		return s
	}
	s = &series{ref: h.nextRef.Add(1), key: key}
	st.byKey[key] = s
	return s
}

// Append adds a sample to the series of the key.
func (h *Head) Append(key string, t int64, v float64) error {
	for {
		if ok, err := h.getOrCreate(key).append(t, v); ok {
			return err
		}
	}
}

// Select returns the samples of a series in [mint, maxt].
func (h *Head) Select(key string, mint, maxt int64) []Sample {
	st := h.stripeOf(key)
	st.mu.RLock()
	s := st.byKey[key]
	st.mu.RUnlock()
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Sample
	for _, p := range s.samples {
		if p.T >= mint && p.T <= maxt {
			out = append(out, p)
		}
	}
	return out
}

// Truncate drops everything older than mint, and the series of which nothing
// is left. It returns the number of series removed.
func (h *Head) Truncate(mint int64) int {
	removed := 0
	for i := range h.stripes {
		st := &h.stripes[i]
		st.mu.Lock()
		for key, s := range st.byKey {
			s.mu.Lock()
			if s.truncateLocked(mint) == 0 {
				s.evicted = true
				delete(st.byKey, key)
				removed++
			}
			s.mu.Unlock()
		}
		st.mu.Unlock()
	}
	return removed
}

// Run truncates once per interval and keeps the given span of time.
func (h *Head) Run(ctx context.Context, every, keep time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			h.Truncate(now.Add(-keep).UnixMilli())
		}
	}
}
