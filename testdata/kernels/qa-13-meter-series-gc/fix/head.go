// Package head is the in-memory part of a store for meter readings.
package head

import (
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const stripes = 64

// ErrOutOfOrder is returned for a reading older than the newest one.
var ErrOutOfOrder = errors.New("head: out of order")

// Labels identify a meter register.
type Labels map[string]string

func (l Labels) key() string {
	parts := make([]string, 0, len(l))
	for k, v := range l {
		parts = append(parts, k+"="+v)
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// Reading is a value at a time in milliseconds.
type Reading struct {
	T int64
	V float64
}

// Block receives readings that leave the head.
type Block interface {
	Write(series string, rs []Reading) error
}

type series struct {
	key string

	mu       sync.Mutex
	readings []Reading
	pending  int
}

func (s *series) append(r Reading) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
	if n := len(s.readings); n > 0 && s.readings[n-1].T >= r.T {
		return ErrOutOfOrder
	}
	s.readings = append(s.readings, r)
	return nil
}

// reserve announces an append.
func (s *series) reserve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending++
}

// flush moves the readings before mint to the block.
func (s *series) flush(mint int64, b Block) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := slices.BinarySearchFunc(s.readings, mint, func(r Reading, t int64) int {
		return int(r.T - t)
	})
	if i == 0 {
		return 0, nil
	}
	if err := b.Write(s.key, s.readings[:i]); err != nil {
		return 0, err
	}
	s.readings = slices.Clone(s.readings[i:])
	return i, nil
}

// unused tells whether nothing would be lost with the series.
func (s *series) unused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.readings) == 0 && s.pending == 0
}

func (s *series) since(t int64) []Reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.readings, func(r Reading) bool { return r.T >= t })
	if i < 0 {
		return nil
	}
	return slices.Clone(s.readings[i:])
}

type stripe struct {
	sync.RWMutex
	series map[string]*series
}

// Head holds the newest readings of all meters.
type Head struct {
	seed    maphash.Seed
	stripes [stripes]stripe
	count   atomic.Int64
	log     *slog.Logger
}

// New returns an empty head.
func New(log *slog.Logger) *Head {
	h := &Head{seed: maphash.MakeSeed(), log: log}
	for i := range h.stripes {
		h.stripes[i].series = make(map[string]*series)
	}
	return h
}

func (h *Head) stripe(key string) *stripe {
	return &h.stripes[maphash.String(h.seed, key)%stripes]
}

// Append adds a reading; the collectors call it concurrently.
func (h *Head) Append(l Labels, r Reading) error {
	return h.getOrCreate(l.key()).append(r)
}

func (h *Head) getOrCreate(key string) *series {
	st := h.stripe(key)
	st.Lock()
	defer st.Unlock()
	s, ok := st.series[key]
	if !ok {
		s = &series{key: key}
		st.series[key] = s
		h.count.Add(1)
	}
	s.reserve()
	return s
}

// Since returns the readings of a register in the head.
func (h *Head) Since(l Labels, t int64) []Reading {
	key := l.key()
	st := h.stripe(key)
	st.RLock()
	s := st.series[key]
	st.RUnlock()
	if s == nil {
		return nil
	}
	return s.since(t)
}

// compact flushes all series and drops those without readings.
func (h *Head) compact(mint int64, b Block) (moved int, err error) {
	for i := range h.stripes {
		st := &h.stripes[i]
		st.RLock()
		all := make([]*series, 0, len(st.series))
		for _, s := range st.series {
			all = append(all, s)
		}
		st.RUnlock()
		for _, s := range all {
			n, err := s.flush(mint, b)
			if err != nil {
				return moved, err
			}
			moved += n
		}
		st.Lock()
		for key, s := range st.series {
			if s.unused() {
				delete(st.series, key)
				h.count.Add(-1)
			}
		}
		st.Unlock()
	}
	return moved, nil
}

// Run compacts from time to time.
func (h *Head) Run(ctx context.Context, every, keep time.Duration, b Block) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			n, err := h.compact(now.Add(-keep).UnixMilli(), b)
			h.log.Info("head compacted", "readings", n, "series", h.count.Load(), "err", err)
		}
	}
}
